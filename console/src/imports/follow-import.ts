import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { answered, api, inOrganization, Refused } from '../api/client.ts';
import { SessionOver } from '../app/session.ts';
import { isOver, linesOf, type Import } from './imports.ts';

const AGAIN_MS = 3000;
/**
 * Follows an import by server-sent events, and keeps what `importKey` reads as they say. `EventSource` takes no bearer
 * token, so the stream is read here; one that breaks off is asked for again.
 */
export function useFollowedImport(orgId: string, job: Import | undefined): { readonly isLost: boolean } {
  const queries = useQueryClient();
  const [isLost, setLost] = useState(false);
  const id = job?.id;
  const isFollowed = job !== undefined && !isOver(job);
  useEffect(() => {
    if (id === undefined || !isFollowed) return undefined;
    const gone = new AbortController();
    function take(now: Import): void {
      setLost(false);
      queries.setQueryData(importKey(orgId, now.id), now);
    }
    void follow(orgId, id, gone.signal, take, () => setLost(true)).then((isRefused) =>
      // the page reads it again, and says why it cannot
      isRefused ? queries.invalidateQueries({ queryKey: importKey(orgId, id) }) : undefined,
    );
    return () => gone.abort();
  }, [orgId, id, isFollowed, queries]);
  return { isLost };
}

export function importKey(orgId: string, id: string): readonly string[] {
  return ['imports', orgId, 'one', id];
}

/** Until it is over. True where it was refused. */
async function follow(
  orgId: string,
  id: string,
  signal: AbortSignal,
  take: (job: Import) => void,
  lose: () => void,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      for await (const job of eventsOf(orgId, id, signal)) {
        take(job);
        if (isOver(job)) return false;
      }
    } catch (error) {
      if (signal.aborted) return false;
      // a session that ended and a right that was taken away do not come back by asking
      if (error instanceof SessionOver || (error instanceof Refused && error.status < 429)) return true;
    }
    lose();
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  return false;
}

/** The data of each event (HTML standard §9.2): all of this service are one line. */
async function* eventsOf(orgId: string, id: string, signal: AbortSignal): AsyncGenerator<Import> {
  const params = { ...inOrganization(orgId), path: { id } };
  const body = (await answered(
    api.GET('/management/v1/imports/{id}/events', {
      params,
      headers: { accept: 'text/event-stream' },
      parseAs: 'stream',
      signal,
    }),
  )) as ReadableStream<Uint8Array>;
  for await (const line of linesOf(body)) {
    if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length)) as Import;
  }
}
