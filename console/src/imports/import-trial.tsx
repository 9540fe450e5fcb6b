import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/imports.json';
import en from '../../../locales/console/en/imports.json';
import { numberOf, say, words } from '../app/words.ts';
import { Failure } from '../shared/failure.tsx';
import { Section } from '../shared/section.tsx';
import { importKey, useFollowedImport } from './follow-import.ts';
import { OutcomeTable } from './import-results.tsx';
import { findRecords, isOver, readImport, reasonOf, type Import } from './imports.ts';

const t = words({ en, de });
const SHOWN = 20;

/** What a trial run found: the service did everything, and took it back. */
export function ImportTrial({ org, id }: { readonly org: string; readonly id: string }) {
  const found = useQuery({
    queryKey: importKey(org, id),
    queryFn: async () => await readImport(org, id),
  });
  useFollowedImport(org, found.data);
  const job = found.data;
  const isDone = job !== undefined && isOver(job);
  const faults = useQuery({
    queryKey: ['imports', org, 'trial', id],
    queryFn: async () => {
      const { result } = await findRecords(org, id, ['failed'], { asc: true, cursor: undefined });
      return result.slice(0, SHOWN);
    },
    enabled: isDone && job.counts.failed > 0,
  });
  return (
    <Section title={t.dryRun} lead={t.trial.nothingKept}>
      {found.error && <Failure error={found.error} onRetry={() => void found.refetch()} stays />}
      {!isDone && !found.error && <Text aria-live="polite">{t.trial.running}</Text>}
      {isDone && (
        <Stack gap="sm">
          <Verdict job={job} />
          {faults.error && <Failure error={faults.error} onRetry={() => void faults.refetch()} stays />}
          {faults.data !== undefined && faults.data.length > 0 && (
            <>
              <Text fw={600}>{t.trial.first}</Text>
              <OutcomeTable org={org} rows={faults.data} isOneKind />
            </>
          )}
        </Stack>
      )}
    </Section>
  );
}

function Verdict({ job }: { readonly job: Import }) {
  const { failed, total = 0 } = job.counts;
  const reason = reasonOf(job);
  const isFine = failed === 0 && reason === undefined;
  return (
    <Alert color={isFine ? 'green' : 'red'} variant="light" role="status">
      {reason ??
        (isFine
          ? say(t.trial.fine, { count: numberOf(total) })
          : say(t.trial.faulty, { failed: numberOf(failed), count: numberOf(total) }))}
    </Alert>
  );
}
