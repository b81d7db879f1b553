# Ends in an exception because the interactor, content, has ended the conversation.
print("accept", flush=True)
input()
