import { Box, Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { numberOf, say, words } from '../app/words.ts';
import { Failure } from './failure.tsx';
import { LoadingRows } from './loading.tsx';
import type { Pages } from './pages.ts';
import { useSteps } from './steps.ts';

const t = words({ en, de });

interface MoreProperties {
  readonly shown: number;
  readonly total: string | number | undefined;
  /** Counting stopped there. */
  readonly isMoreThanTotal: boolean;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly onMore: () => void;
}

/** Below a list: how much of it is shown, and the way to more. */
export function More({ shown, total, isMoreThanTotal, hasMore, isLoadingMore, onMore }: MoreProperties) {
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" aria-live="polite">
        {shownOf(shown, total, isMoreThanTotal)}
      </Text>
      {hasMore && (
        <Button variant="default" loading={isLoadingMore} onClick={onMore}>
          {t.list.more}
        </Button>
      )}
    </Group>
  );
}

function shownOf(shown: number, total: string | number | undefined, isMore: boolean): string {
  if (total === undefined) return say(t.list.shown, { shown });
  return say(t.list.shownOf, { shown: numberOf(shown), total: countedOf(total, isMore) });
}

/** A number in words; where counting stopped there, that there are more. */
export function countedOf(total: string | number, isMore: boolean | undefined): string {
  return isMore === true ? say(t.list.moreThan, { total: numberOf(total) }) : numberOf(total);
}

interface PagedProperties<Row> {
  readonly pages: Pages<Row>;
  /** What is said where there is nothing. */
  readonly none?: string;
  /** How many a phone shows at first. */
  readonly step?: number;
  readonly children: (rows: readonly Row[]) => ReactNode;
}

/** What a section lists, a page after the other. */
export function Paged<Row>({ pages, none, step, children }: PagedProperties<Row>) {
  const { rows, error, onRetry } = pages;
  const { visible, hasMore, onMore } = useSteps(rows ?? [], pages, step);
  const isRefused = error !== undefined && error !== null;
  return (
    <>
      {isRefused && <Failure error={error} onRetry={onRetry} stays={rows !== undefined} />}
      {rows === undefined && !isRefused && <LoadingRows rows={1} />}
      {rows?.length === 0 && none !== undefined && <Text c="dimmed">{none}</Text>}
      {visible.length > 0 && children(visible)}
      {hasMore && (
        <Box mt="sm">
          <More {...pages} shown={visible.length} hasMore onMore={onMore} />
        </Box>
      )}
    </>
  );
}
