import { Alert, Button, Code, Flex, Group, Paper, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import sharedDe from '../../../locales/console/de/shared.json';
import de from '../../../locales/console/de/users.json';
import shared from '../../../locales/console/en/shared.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization, NEVER_SET, Refused, type Answered } from '../api/client.ts';
import { numberOf, say, since, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { isConflict } from '../shared/conflict.tsx';
import { forgetDraft, useDraft } from '../shared/draft.ts';
import { useFilters } from '../shared/filters-in-address.ts';
import { Unread } from '../shared/found.tsx';
import { Empty, List, SearchField, type Column } from '../shared/list.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { pageOf } from '../shared/search-body.ts';
import { SettingsForm } from '../shared/settings-form.tsx';
import { useSorting, type Orders } from '../shared/sorting.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
/** More of a value than this is not shown in a list. */
const SHOWN = 300;
const BY_KEY: Orders = { key: undefined };

type Metadata = NonNullable<Answered<'/management/v1/users/{id}/metadata/_search', 'post'>['result']>[number];

interface UserMetadataProperties {
  readonly org: string;
  readonly id: string;
  readonly mayWrite: boolean;
}

/** Of what is typed under a key, or for a new one where that is ''. */
function draftOf(id: string, key: string): string {
  return `user-metadata-${id}-${key}`;
}

/** Not among those of the list: what was removed is not read again. */
function oneKey(org: string, id: string): readonly string[] {
  return ['users', org, id, 'metadata-one'];
}

/** What stands under a key; undefined for bytes that are no text. */
function textOf(value: string): string | undefined {
  const bytes = bytesOf(value);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function bytesOf(value: string): Uint8Array {
  return Uint8Array.from(atob(value), (character) => character.codePointAt(0) ?? 0);
}

function base64Of(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCodePoint(byte)).join(''));
}

/** What applications keep about a user. */
export function UserMetadata({ org, id, mayWrite }: UserMetadataProperties) {
  const params = { ...inOrganization(org), path: { id } };
  const [{ search }] = useFilters();
  // a key, or '' for a new one; its value is read, since a copy would not show what others save meanwhile
  const [edited, setEdited] = useState<string>();
  useDraft(`user-metadata-open-${id}`, edited ?? '', edited !== undefined, setEdited);
  /** Somebody may remove what they have open: there is nothing left to change. */
  function endIf(removed: string): void {
    if (edited !== removed) return;
    forgetDraft(draftOf(id, removed));
    setEdited(undefined);
  }
  const { sorting, sorted } = useSorting(BY_KEY, { usual: 'key', oldestFirst: true });
  const pages = usePagesByCursor<Metadata>(
    ['users', org, id, 'metadata', { search }],
    async (cursor) =>
      await answered(
        api.POST('/management/v1/users/{id}/metadata/_search', {
          params,
          body: {
            query: pageOf({ cursor, sorted }),
            ...(search !== undefined && { keyStartsWith: search }),
          },
        }),
      ),
    { sorted },
  );
  return (
    <>
      <Text c="dimmed" mb="md">
        {t.metadata.lead}
      </Text>
      <Group mb="md" justify="space-between">
        <SearchField label={t.metadata.search} />
        {mayWrite && edited === undefined && (
          <Button variant="default" onClick={() => setEdited('')}>
            {t.metadata.add}
          </Button>
        )}
      </Group>
      {edited === '' && <Editor org={org} id={id} edited={undefined} onEnd={() => setEdited(undefined)} />}
      {edited !== undefined && edited !== '' && (
        <Change key={edited} org={org} id={id} name={edited} onEnd={() => setEdited(undefined)} />
      )}
      <List
        label={t.metadata.title}
        columns={columns(org, id, mayWrite, setEdited, endIf)}
        {...pages}
        sorting={sorting}
        keyOf={({ key }) => key}
        empty={
          (search ?? '') === '' ? (
            <Empty title={t.metadata.none} text={t.metadata.noneText} />
          ) : (
            <Empty title={s.list.nothingFits} text={s.list.nothingFitsText} />
          )
        }
      />
    </>
  );
}

function takenWhere(error: unknown): unknown {
  if (!isConflict(error)) return error;
  return new Refused(409, t.metadata.taken, undefined, undefined, undefined, 6, undefined, false);
}

function nullWhereGone(error: unknown): null {
  if (error instanceof Refused && error.status === 404) return null;
  throw error;
}

interface ChangeProperties {
  readonly org: string;
  readonly id: string;
  readonly name: string;
  readonly onEnd: () => void;
}

function Change({ org, id, name, onEnd }: ChangeProperties) {
  const queries = useQueryClient();
  const found = useQuery({
    queryKey: [...oneKey(org, id), name],
    queryFn: async () => {
      const asked = answered(
        api.GET('/management/v1/users/{id}/metadata/{key}', {
          params: { ...inOrganization(org), path: { id, key: name } },
        }),
      );
      return (await asked.catch(nullWhereGone))?.metadata ?? null;
    },
  });
  const isGone = found.data === null;
  useEffect(() => {
    // the list still shows what somebody else has removed
    if (isGone) void queries.invalidateQueries({ queryKey: ['users', org, id, 'metadata'] });
  }, [queries, org, id, isGone]);
  if (found.data === undefined && found.error === null) return <LoadingRows rows={2} />;
  return (
    <>
      <Unread found={found} />
      {found.data === undefined ? (
        // the one below the fields is not there
        <Button
          variant="default"
          size="xs"
          mb="md"
          onClick={() => {
            forgetDraft(draftOf(id, name));
            onEnd();
          }}
        >
          {t.metadata.cancel}
        </Button>
      ) : (
        // one that is gone is a new one under the same key, with what was typed for it
        <Editor
          key={String(isGone)}
          org={org}
          id={id}
          edited={found.data ?? undefined}
          {...(isGone && { gone: name })}
          onEnd={onEnd}
        />
      )}
    </>
  );
}

interface EditorProperties {
  readonly org: string;
  readonly id: string;
  /** Undefined for a new one. */
  readonly edited: Metadata | undefined;
  /** The key of one that somebody else has removed. */
  readonly gone?: string;
  readonly onEnd: () => void;
}

function Editor({ org, id, edited, gone, onEnd }: EditorProperties) {
  const queries = useQueryClient();
  const stale = ['users', org, id, 'metadata'];
  /** The list is where somebody else's value is found: it is read again. */
  async function refuse(error: unknown): Promise<never> {
    if (isConflict(error)) void queries.invalidateQueries({ queryKey: stale });
    throw takenWhere(error);
  }
  const isNew = edited === undefined;
  const key = edited?.key ?? gone ?? '';
  const initial = { key, value: textOf(edited?.value ?? '') ?? '' };
  const title = key === '' ? t.metadata.add : say(t.metadata.changeOf, { key });
  return (
    <Paper component="section" p="lg" mb="md" aria-label={title}>
      {gone !== undefined && (
        <Alert color="yellow" variant="light" role="status" mb="md" title={t.metadata.gone}>
          {t.metadata.goneText}
        </Alert>
      )}
      <SettingsForm
        bare
        name={draftOf(id, initial.key)}
        what={title}
        initial={initial}
        sequence={isNew ? undefined : edited.details.sequence}
        validate={({ key, value }) => ({
          ...(key.trim() === '' && { key: s.form.required }),
          ...(value === '' && { value: s.form.required }),
        })}
        save={async ({ key, value }, sequence) => {
          const params = {
            // a new item under a key that there is would replace its value, which nobody has seen
            ...inOrganization(org, isNew ? NEVER_SET : sequence),
            path: { id, key: key.trim() },
          };
          const put = answered(
            api.PUT('/management/v1/users/{id}/metadata/{key}', { params, body: { value: base64Of(value) } }),
          );
          return await (isNew ? put.catch(refuse) : put);
        }}
        onSaved={onEnd}
        stale={[stale, oneKey(org, id)]}
        done={t.metadata.set}
      >
        {(form) => (
          <Stack maw={640}>
            <TextInput
              label={t.metadata.key}
              required
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
              readOnly={key !== ''}
              {...form.getInputProps('key')}
            />
            <Textarea
              label={t.metadata.value}
              required
              autosize
              minRows={2}
              maxRows={14}
              spellCheck={false}
              {...form.getInputProps('value')}
            />
            {!form.isDirty() && (
              <Group>
                <Button variant="default" size="xs" onClick={onEnd}>
                  {t.metadata.cancel}
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </SettingsForm>
    </Paper>
  );
}

function columns(
  org: string,
  id: string,
  mayWrite: boolean,
  onChange: (key: string) => void,
  onRemoved: (key: string) => void,
): readonly Column<Metadata>[] {
  return [
    {
      label: t.metadata.key,
      sort: 'key',
      cell: ({ key }) => <Code style={{ overflowWrap: 'anywhere' }}>{key}</Code>,
      width: '28%',
    },
    { label: t.metadata.value, cell: ({ value }) => <Value value={value} /> },
    { label: s.list.changed, cell: ({ details }) => since(details.changeDate), wide: true, width: 140 },
    ...(mayWrite
      ? [
          {
            label: s.list.actions,
            cell: (metadata: Metadata) => (
              <Flex direction={{ base: 'column', sm: 'row' }} align="flex-start">
                {textOf(metadata.value) !== undefined && (
                  <Button
                    variant="subtle"
                    size="xs"
                    aria-label={say(t.metadata.changeOf, { key: metadata.key })}
                    onClick={() => onChange(metadata.key)}
                  >
                    {t.metadata.change}
                  </Button>
                )}
                <Removal org={org} id={id} name={metadata.key} onRemoved={() => onRemoved(metadata.key)} />
              </Flex>
            ),
            width: 210,
          },
        ]
      : []),
  ];
}

function Value({ value }: { readonly value: string }) {
  const text = textOf(value);
  if (text === undefined)
    return (
      <Text span inherit c="dimmed">
        {say(t.metadata.binary, { count: bytesOf(value).length })}
      </Text>
    );
  return (
    <Text span inherit style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
      {text.slice(0, SHOWN)}
      {text.length > SHOWN && (
        <Text span inherit c="dimmed">
          {say(t.metadata.longer, { count: numberOf(text.length) })}
        </Text>
      )}
    </Text>
  );
}

interface RemovalProperties {
  readonly org: string;
  readonly id: string;
  readonly name: string;
  readonly onRemoved: () => void;
}

function Removal({ org, id, name, onRemoved }: RemovalProperties) {
  const remove = useAct({
    call: async () =>
      await answered(
        api.DELETE('/management/v1/users/{id}/metadata/{key}', {
          params: { ...inOrganization(org), path: { id, key: name } },
        }),
      ),
    stale: [['users', org, id, 'metadata']],
    done: t.metadata.removed,
    onDone: onRemoved,
  });
  return (
    <Confirm
      danger
      variant="subtle"
      size="xs"
      inRow
      label={t.metadata.remove}
      title={say(t.metadata.removeOf, { key: name })}
      text={t.metadata.removeText}
      isWorking={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  );
}
