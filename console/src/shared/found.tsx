import { Box } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { SessionOver } from '../app/session.ts';
import { words } from '../app/words.ts';
import { Failure } from './failure.tsx';
import { LoadingPage } from './loading.tsx';
import { PageHead } from './page-head.tsx';

const t = words({ en, de });

type Asked<Thing> = Pick<UseQueryResult<Thing>, 'data' | 'error' | 'refetch'>;

interface FoundProperties<Thing> {
  readonly found: Asked<Thing>;
  /** Until it is there. */
  readonly loading?: ReactNode;
  readonly children: (thing: Thing) => ReactNode;
}

/**
 * What a page is about, once it is found. Where it cannot be read again, the error stands above the page, which stays: it may
 * hold what was typed, and secrets that are shown this once.
 */
export function Found<Thing>({ found, loading, children }: FoundProperties<Thing>) {
  const { data, error } = found;
  if (data === undefined && error === null) return loading ?? <LoadingPage />;
  if (data === undefined)
    return loading === undefined ? <PageUnread found={found} /> : <Unread found={found} />;
  return (
    <>
      {error !== null && (
        <Box maw={1200} mx="auto">
          <Unread found={found} />
        </Box>
      )}
      {children(data)}
    </>
  );
}

/** In place of the page. That the session is over is said above it. */
function PageUnread({ found }: { readonly found: Asked<unknown> }) {
  return (
    <div className="console-page">
      {!(found.error instanceof SessionOver) && <PageHead title={t.errors.notRead} />}
      <Unread found={found} />
    </div>
  );
}

/** That something could not be read; or not again, and then nobody is led away from what stands there. */
export function Unread({ found: { data, error, refetch } }: { readonly found: Asked<unknown> }) {
  if (error === null) return null;
  return <Failure error={error} onRetry={() => void refetch()} stays={data !== undefined} />;
}
