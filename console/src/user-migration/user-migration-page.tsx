import { Alert, Group, JsonInput, Progress, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import directoriesDe from '../../../locales/console/de/directories.json';
import de from '../../../locales/console/de/user-migration.json';
import directories from '../../../locales/console/en/directories.json';
import en from '../../../locales/console/en/user-migration.json';
import { useMay } from '../app/permissions.ts';
import { momentOf, say, words } from '../app/words.ts';
import { DirectoryFields } from '../directories/directory-fields.tsx';
import { expiresOn, expiryOf } from '../directories/expiry.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { between, NumberField, ToggleField } from '../shared/fields.tsx';
import { Fold } from '../shared/fold.tsx';
import { Unread } from '../shared/found.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { Secret } from '../shared/secret.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import { State } from '../shared/state.tsx';
import { SignInFrame } from '../sign-in/sign-in-frame.tsx';
import {
  findMigration,
  migrationBody,
  migrationKey,
  migrationValues,
  removeMigration,
  replaceMigration,
  rotateMigrationSecret,
  type MigrationValues,
  type UserMigration,
} from './user-migration.ts';

const t = words({ en, de });
const d = words({ en: directories, de: directoriesDe });
const f = t.fields;

/** People of an old system come over at their first sign-in. */
export function UserMigrationPage() {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  const key = migrationKey(org);
  // lives in this page alone: it is shown once
  const [secret, setSecret] = useState<string>();
  const found = useQuery({ queryKey: key, queryFn: async () => await findMigration(org) });
  const migration = found.data;
  const isThere = migration !== undefined && migration.details.sequence !== '0';
  return (
    <SignInFrame title={t.title} lead={t.lead}>
      <Unread found={found} />
      {migration === undefined && !found.error && <LoadingRows rows={4} />}
      {secret !== undefined && <Secret title={t.secret} value={secret} />}
      {isThere && <Standing migration={migration} />}
      {migration !== undefined &&
        (may('org.idp.write') ? (
          <MigrationForm org={org} migration={migration} onSecret={setSecret} />
        ) : (
          <Section title={t.title}>
            <Facts facts={factsOf(migration)} />
          </Section>
        ))}
      {isThere && may('org.idp.write') && <Ending org={org} migration={migration} onSecret={setSecret} />}
    </SignInFrame>
  );
}

function factsOf(migration: UserMigration) {
  const { kind, isActive, url, urls, baseDn, bindDn, userFilter } = migration;
  const { endsAt, requestsPerMinute, deadlineMs } = migration;
  return [
    [f.isActive, isActive ? t.on : t.off],
    [f.kind, kind === undefined ? undefined : t.kinds[kind]],
    [f.url, url],
    [d.fields.urls, urls?.join(', ')],
    [d.fields.baseDn, baseDn],
    [d.fields.bindDn, bindDn],
    [d.fields.userFilter, userFilter],
    [t.expires, expiresOn(migration)],
    [f.endsAt, endsAt === undefined ? undefined : momentOf(endsAt)],
    [f.requestsPerMinute, requestsPerMinute],
    [f.deadlineMs, deadlineMs],
  ] as const;
}

/** One that is off, or over before, needs nothing renewed. */
function Expiring({ migration }: { readonly migration: UserMigration }) {
  const { isActive, endsAt = '', expirationDate = '' } = migration;
  const expiry = expiryOf(migration);
  const now = Date.now();
  const until = Math.max(now, Date.parse(expirationDate));
  if (expiry === undefined || !isActive || Date.parse(endsAt) <= until) return undefined;
  return (
    <Alert
      color={expiry.tone === 'bad' ? 'red' : 'yellow'}
      variant="light"
      role="status"
      title={t.expiry.title}
    >
      {say(t.expiry.text, { date: expiresOn(migration) ?? '' })}
    </Alert>
  );
}

/** How far it is. */
function Standing({ migration }: { readonly migration: UserMigration }) {
  const { progress, expectedUsers, isActive, endsAt } = migration;
  const migrated = Number(progress.migrated);
  const expected = Number(expectedUsers ?? 0);
  const isOver = endsAt !== undefined && new Date(endsAt).getTime() <= Date.now();
  const state = isOver ? t.over : isActive ? t.on : t.off;
  return (
    <Section
      title={t.progress.title}
      action={<State tone={isActive && !isOver ? 'good' : 'quiet'} label={state} />}
    >
      <Stack gap="md">
        <Expiring migration={migration} />
        {expected > 0 && (
          <Stack gap={4} maw={480}>
            <Text size="sm">{say(t.progress.of, { migrated, expected })}</Text>
            <Progress value={Math.min(100, (100 * migrated) / expected)} aria-label={t.progress.title} />
          </Stack>
        )}
        <Facts
          facts={[
            [t.progress.migrated, progress.migrated],
            [t.progress.asked, progress.asked],
            [t.progress.refused, progress.refused],
            [t.progress.failed, progress.failed],
          ]}
        />
      </Stack>
    </Section>
  );
}

interface MigrationFormProperties {
  readonly org: string;
  readonly migration: UserMigration;
  readonly onSecret: (secret: string) => void;
}

function MigrationForm({ org, migration, onSecret }: MigrationFormProperties) {
  const { sequence } = migration.details;
  const isNewDirectory = migration.kind !== 'ldap';
  return (
    <SettingsForm<MigrationValues>
      name={migrationKey(org).join('.')}
      secrets={['bindPassword']}
      initial={migrationValues(migration)}
      sequence={sequence}
      validate={(values) => {
        const { kind, url, endsAt, expectedUsers, requestsPerMinute, deadlineMs } = values;
        return {
          ...(kind === 'webhook' ? { url: missing(url) } : missingOfDirectory(values, isNewDirectory)),
          endsAt: missing(endsAt),
          expectedUsers: between(0, 999_999_999)(expectedUsers),
          requestsPerMinute: between(1, 60_000)(requestsPerMinute),
          deadlineMs: between(100, 5_000)(deadlineMs),
        };
      }}
      save={async (values, on) => {
        const changed = await replaceMigration(org, migrationBody(values, migration), on);
        if (changed.signingSecret !== undefined) onSecret(changed.signingSecret);
        return changed;
      }}
      stale={[migrationKey(org)]}
      done={t.saved}
    >
      {(form) => (
        <>
          <ToggleField
            label={f.isActive}
            help={f.isActiveHelp}
            {...form.getInputProps('isActive', { type: 'checkbox' })}
          />
          <Select
            label={f.kind}
            allowDeselect={false}
            data={Object.entries(t.kinds).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps('kind')}
          />
          {form.values.kind === 'webhook' ? (
            <TextInput
              label={f.url}
              description={f.urlHelp}
              placeholder="https://old.example.com/sign-in"
              required
              maxLength={2000}
              {...form.getInputProps('url')}
            />
          ) : (
            <DirectoryFields inputOf={form.getInputProps} isNew={isNewDirectory} keepsIdentities={false} />
          )}
          <TextInput
            type="datetime-local"
            label={f.endsAt}
            description={f.endsAtHelp}
            required
            styles={{ wrapper: { maxWidth: 240 } }}
            {...form.getInputProps('endsAt')}
          />
          <Fold {...t.more}>
            {form.values.kind === 'ldap' && (
              <JsonInput
                label={f.mapping}
                description={f.mappingHelp}
                autosize
                minRows={2}
                placeholder='{ "fields": { "email": "mail" } }'
                {...form.getInputProps('mapping')}
              />
            )}
            <NumberField
              label={f.expectedUsers}
              help={f.expectedUsersHelp}
              {...form.getInputProps('expectedUsers')}
            />
            <NumberField
              label={f.requestsPerMinute}
              help={f.requestsPerMinuteHelp}
              inherited={600}
              source={t.usual}
              {...form.getInputProps('requestsPerMinute')}
            />
            <NumberField
              label={f.deadlineMs}
              help={f.deadlineMsHelp}
              inherited={2000}
              source={t.usual}
              {...form.getInputProps('deadlineMs')}
            />
          </Fold>
        </>
      )}
    </SettingsForm>
  );
}

function missing(text: string): string | null {
  return text.trim() === '' ? t.missing : null;
}

function missingOfDirectory(values: MigrationValues, isNew: boolean) {
  const { urls, baseDn, bindDn, userFilter, bindPassword } = values;
  return {
    urls: missing(urls),
    baseDn: missing(baseDn),
    bindDn: missing(bindDn),
    userFilter: missing(userFilter),
    bindPassword: isNew ? missing(bindPassword) : null,
  };
}

function Ending({ org, migration, onSecret }: MigrationFormProperties) {
  // nothing is signed to a directory
  const hasSecret = migration.kind === 'webhook';
  const stale = [migrationKey(org)];
  const rotate = useAct({
    call: async () => await rotateMigrationSecret(org),
    stale,
    done: t.rotated,
    onDone: ({ signingSecret }) => {
      if (signingSecret !== undefined) onSecret(signingSecret);
    },
  });
  const remove = useAct({
    call: async () => await removeMigration(org, migration.details.sequence),
    stale,
    done: t.removed,
  });
  return (
    <Section
      title={hasSecret ? t.ending : t.endingOfDirectory}
      lead={t.endingLead}
      action={
        <Group gap="xs">
          {hasSecret && (
            <Confirm
              label={t.rotate}
              title={t.rotate}
              text={t.rotateText}
              isWorking={rotate.isPending}
              onConfirm={() => rotate.mutate()}
            />
          )}
          <Confirm
            danger
            label={t.remove}
            title={t.remove}
            text={t.removeText}
            isWorking={remove.isPending}
            onConfirm={() => remove.mutate()}
          />
        </Group>
      }
    />
  );
}
