import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { answered, api, inOrganization, Refused } from '../api/client.ts';
import { untilThere } from '../app/queries.ts';
import { SessionOver } from '../app/session.ts';
import { continued, type PaceNews } from './continued-pace.ts';
import { eventData } from './event-data.ts';
import { isOver, readPace, type Import } from './imports.ts';

const AGAIN_MS = 3000;

interface Followed {
  readonly isLost: boolean;
  /** How fast it goes; undefined until that is known. */
  readonly pace: PaceNews['steps'] | undefined;
}

/**
 * Follows an import by server-sent events: keeps what `importKey` reads as they say, and the points of its chart. `EventSource`
 * takes no bearer token, so the stream is read here; one that breaks off is asked for again, and begins with all points.
 * Of an import that is over already, they are read once.
 */
export function useFollowedImport(orgId: string, job: Import | undefined, withPace = false): Followed {
  const queries = useQueryClient();
  const [isLost, setLost] = useState(false);
  const [pace, setPace] = useState<PaceNews['steps']>();
  const id = job?.id;
  const isFollowed = job !== undefined && !isOver(job);
  const past = useQuery({
    queryKey: [...importKey(orgId, id ?? ''), 'pace'],
    queryFn: id === undefined ? skipToken : async () => await readPace(orgId, id),
    enabled: withPace && !isFollowed && pace === undefined,
    refetchInterval: untilThere,
  });
  useEffect(() => {
    if (id === undefined || !isFollowed) return undefined;
    const gone = new AbortController();
    function take(news: Import | PaceNews): void {
      setLost(false);
      if ('steps' in news) setPace((known = []) => continued(known, news));
      else queries.setQueryData(importKey(orgId, news.id), news);
    }
    void follow(orgId, id, withPace, gone.signal, take, () => setLost(true)).then((isRefused) =>
      // the page reads it again, and says why it cannot
      isRefused ? queries.invalidateQueries({ queryKey: importKey(orgId, id) }) : undefined,
    );
    return () => gone.abort();
  }, [orgId, id, isFollowed, withPace, queries]);
  return { isLost, pace: pace ?? past.data };
}

export function importKey(orgId: string, id: string): readonly string[] {
  return ['imports', orgId, 'one', id];
}

/** Until it is over. True where it was refused. */
async function follow(
  orgId: string,
  id: string,
  withPace: boolean,
  signal: AbortSignal,
  take: (news: Import | PaceNews) => void,
  lose: () => void,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      for await (const news of eventsOf(orgId, id, withPace, signal)) {
        take(news);
        if (!('steps' in news) && isOver(news)) return false;
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

async function* eventsOf(
  orgId: string,
  id: string,
  withPace: boolean,
  signal: AbortSignal,
): AsyncGenerator<Import | PaceNews> {
  const params = { ...inOrganization(orgId), path: { id }, query: withPace ? { pace: 'true' as const } : {} };
  const open = async (silence: AbortSignal): Promise<ReadableStream<Uint8Array>> =>
    (await answered(
      api.GET('/management/v1/imports/{id}/events', {
        params,
        headers: { accept: 'text/event-stream' },
        parseAs: 'stream',
        signal: AbortSignal.any([signal, silence]),
      }),
    )) as ReadableStream<Uint8Array>;
  for await (const data of eventData(open)) yield JSON.parse(data) as Import | PaceNews;
}
