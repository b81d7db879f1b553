# Threads, a lock, a queue, and a child process with a pipe.
import queue
import subprocess
import threading

results = queue.Queue()
threads = [threading.Thread(target=lambda n=n: results.put(n * n)) for n in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
total = sum(results.get() for _ in threads)
print(total, subprocess.run(["cat"], input=b"through cat", stdout=subprocess.PIPE).stdout.decode())
