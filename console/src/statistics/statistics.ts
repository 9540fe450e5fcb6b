import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/statistics.json';
import en from '../../../locales/console/en/statistics.json';
import { answered, api, inOrganization, type Answered } from '../api/client.ts';
import { every } from '../app/queries.ts';
import { region, words } from '../app/words.ts';
import { useFilters } from '../shared/filters-in-address.ts';

export const t = words({ en, de });

export const RANGES = ['24h', '7d', '30d'] as const;
export type Range = (typeof RANGES)[number];

export type Statistics = Answered<'/management/v1/statistics', 'get'>;

/** Days begin where the visitor is. */
export const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

/** Counts arrive every ten seconds, and nobody looks at a chart that closely. */
const AGAIN_MS = 60_000;

const hour = new Intl.DateTimeFormat(region, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(region, { day: 'numeric', month: 'short' });

/** What a period is called under a chart and in its table. */
export function labelOf(start: string, range: Range): string {
  return (range === '24h' ? hour : day).format(new Date(start));
}

/** The period that is looked at, which stands in the address. */
export function useRange(): readonly [Range, (range: Range) => void] {
  const [{ range }, set] = useFilters();
  const known = RANGES.find((one) => one === range) ?? '24h';
  return [known, (next) => set({ range: next === '24h' ? undefined : next })];
}

/** @param org undefined for the whole instance */
export function useStatistics(org: string | undefined, range: Range) {
  const query = { range, timeZone };
  return useQuery({
    queryKey: ['statistics', org ?? 'instance', range],
    queryFn: async () =>
      org === undefined
        ? await answered(api.GET('/admin/v1/statistics', { params: { query } }))
        : await answered(api.GET('/management/v1/statistics', { params: { ...inOrganization(org), query } })),
    refetchInterval: every(AGAIN_MS),
  });
}
