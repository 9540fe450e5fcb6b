import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/imports.json';
import en from '../../../locales/console/en/imports.json';
import { useMay } from '../app/permissions.ts';
import { momentOf, numberOf, words } from '../app/words.ts';
import { Found } from '../shared/found.tsx';
import { AppLink } from '../shared/links.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { State } from '../shared/state.tsx';
import { UserLink } from '../users/user-link.tsx';
import { bytesOf } from './bytes.ts';
import { importKey, useFollowedImport } from './follow-import.ts';
import { ImportActions } from './import-actions.tsx';
import { ImportProgress } from './import-progress.tsx';
import { ImportResults } from './import-results.tsx';
import { nameOf, readImport, stateOf, type Import } from './imports.ts';

const t = words({ en, de });

/** One import: how far it is, what became of its records, and what can be done about it. */
export function ImportPage() {
  const { org = '', importId = '' } = useParams({ strict: false });
  const found = useQuery({
    queryKey: importKey(org, importId),
    queryFn: async () => await readImport(org, importId),
  });
  return <Found found={found}>{(job) => <OneImport key={job.id} org={org} job={job} />}</Found>;
}

function OneImport({ org, job }: { readonly org: string; readonly job: Import }) {
  const may = useMay(org);
  const { isLost, pace } = useFollowedImport(org, job, true);
  return (
    <div className="console-page">
      <PageHead
        title={nameOf(job)}
        lead={
          <Group gap="xs">
            <State {...stateOf(job)} />
            {job.dryRun && <State tone="quiet" label={t.dryRun} />}
          </Group>
        }
        back={
          <AppLink size="sm" to="/orgs/$org/imports" params={{ org }}>
            {t.back}
          </AppLink>
        }
        actions={may('user.import') && <ImportActions org={org} job={job} />}
      />
      <ImportProgress job={job} pace={pace} isLost={isLost} />
      <ImportResults org={org} job={job} />
      <Asked org={org} job={job} />
    </div>
  );
}

function Asked({ org, job }: { readonly org: string; readonly job: Import }) {
  const { counts } = job;
  const some = (count: number): string | undefined => (count > 0 ? numberOf(count) : undefined);
  const isUpsert = job.mode === 'upsert' && job.updatePasswords;
  return (
    <Section title={t.facts.title}>
      <Facts
        facts={[
          [t.facts.by, <UserLink key="by" org={org} id={job.createdBy} />],
          [
            t.options.mode,
            isUpsert ? `${t.options.upsert}; ${t.options.updatePasswords}` : t.options[job.mode],
          ],
          [t.options.notify, t.options[job.notify]],
          [t.options.initialState, job.initialState && t.options[job.initialState]],
          [t.facts.format, job.format.toUpperCase()],
          [t.facts.size, bytesOf(job.bytes)],
          [
            t.facts.checksum,
            job.checksum && (
              <Text key="checksum" span ff="monospace" size="sm">
                {job.checksum}
              </Text>
            ),
          ],
          [
            t.facts.retryOf,
            job.retryOf && (
              <AppLink key="retry" to="/orgs/$org/imports/$importId" params={{ org, importId: job.retryOf }}>
                {job.retryOf}
              </AppLink>
            ),
          ],
          [t.facts.weak, some(counts.weak)],
          [t.facts.totp, some(counts.totpSecrets)],
          [t.facts.recoveryCodes, some(counts.recoveryCodes)],
          [t.facts.codeFactors, some(counts.codeFactors)],
          [t.facts.passkeys, some(counts.passkeys)],
          [t.facts.foreignPasskeys, some(counts.foreignPasskeys)],
          [t.facts.identities, some(counts.identities)],
          [t.facts.knownIdentities, some(counts.knownIdentities)],
          [t.facts.refusedIdentities, some(counts.refusedIdentities)],
          [t.facts.expires, momentOf(job.expiresAt)],
        ]}
      />
    </Section>
  );
}
