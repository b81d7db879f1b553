import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { follow } from '../api/leader';
import { Updates } from '../api/live';
import type { Connection } from '../api/stream';
import { Loading } from '../ui/Loading';
import { useAccount } from './session';

const ConnectionContext = createContext<Connection>('connecting');

/** Returns the state of the connection. */
export const useConnection = () => use(ConnectionContext);

/** How long the first connection may take before the page is shown without it. */
const FIRST_MS = 2_000;

/**
 * Keeps its children up to date with the server. They are rendered once notices arrive: a change between their reading and
 * the first notice would be missed.
 */
export function Live({ contest, children }: { contest: string; children: ReactNode }) {
  const client = useQueryClient();
  const who = useAccount()?.id ?? '';
  const [connection, setConnection] = useState<Connection>('connecting');
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const updates = new Updates(client, contest);
    let isFirst = true;
    const timer = setTimeout(() => setReady(true), FIRST_MS);
    const end = follow(contest, who, {
      notice: (notice) => updates.take(notice),
      reset: () => updates.reset(),
      connection: (state) => {
        if (state === 'live' && isFirst) {
          isFirst = false;
          updates.forget();
        }
        if (state !== 'connecting') setReady(true);
        setConnection(state);
      },
      position: () => undefined,
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [client, contest, who]);
  return <ConnectionContext value={connection}>{isReady ? children : <Loading />}</ConnectionContext>;
}
