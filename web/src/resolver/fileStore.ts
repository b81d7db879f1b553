/** Stores the file of a ceremony in this browser, so that a reloaded page continues. */
const storeName = 'files';

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('tautochrone-resolver', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(storeName);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function transact<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const request = act(database.transaction(storeName, mode).objectStore(storeName));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } finally {
    database.close();
  }
}

/** Stores a file. A private window may refuse that: then a reloaded page asks for the file again. */
export async function keepFile(key: string, file: Blob): Promise<void> {
  await transact('readwrite', (store) => store.put(file, key)).catch(() => undefined);
}

export function keptFile(key: string): Promise<Blob | undefined> {
  return transact<Blob | undefined>('readonly', (store) => store.get(key)).catch(() => undefined);
}
