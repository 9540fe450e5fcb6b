import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { answered, api, inOrganization, Refused } from '../api/client.ts';
import { SessionOver } from '../app/session.ts';
import { isOver, linesOf, settledOf, type Import } from './imports.ts';

const AGAIN_MS = 3000;
/** What is drawn: ten minutes, an event a second at most. */
const MOST_SAMPLES = 600;

/** Records a second between two looks at an import. */
export interface Sample {
  readonly at: number;
  readonly rate: number;
}

/**
 * Follows an import by server-sent events, and keeps what `importKey` reads as they say. `EventSource` takes no bearer
 * token, so the stream is read here; one that breaks off is asked for again.
 */
export function useFollowedImport(
  orgId: string,
  job: Import | undefined,
): { readonly samples: readonly Sample[]; readonly isLost: boolean } {
  const queries = useQueryClient();
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const [isLost, setLost] = useState(false);
  const id = job?.id;
  const isFollowed = job !== undefined && !isOver(job);
  useEffect(() => setSamples([]), [id]);
  useEffect(() => {
    if (id === undefined || !isFollowed) return undefined;
    const gone = new AbortController();
    let last: { readonly at: number; readonly settled: number } | undefined;
    function take(now: Import): void {
      setLost(false);
      queries.setQueryData(importKey(orgId, now.id), now);
      const at = Date.now();
      const settled = settledOf(now);
      const before = last;
      last = { at, settled };
      if (before === undefined || now.state !== 'running' || at - before.at < 200) return;
      const rate = ((settled - before.settled) * 1000) / (at - before.at);
      if (rate >= 0) setSamples((old) => [...old, { at, rate: Math.round(rate) }].slice(-MOST_SAMPLES));
    }
    void follow(orgId, id, gone.signal, take, () => setLost(true)).then((isRefused) =>
      // the page reads it again, and says why it cannot
      isRefused ? queries.invalidateQueries({ queryKey: importKey(orgId, id) }) : undefined,
    );
    return () => gone.abort();
  }, [orgId, id, isFollowed, queries]);
  return { samples, isLost };
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
