import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import de from '../../../locales/console/de/credentials.json';
import en from '../../../locales/console/en/credentials.json';
import type { Sent } from '../api/client.ts';
import { words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Failure } from '../shared/failure.tsx';
import { useHold } from '../shared/held.ts';
import { LeaveGuard } from '../shared/leave-guard.tsx';
import type { CursorPage } from '../shared/page-parts.ts';
import { Secret } from '../shared/secret.tsx';
import { Section } from '../shared/section.tsx';
import { CredentialList } from './credential-list.tsx';
import { KEYS, type Credential, type KeySearch } from './credentials.ts';
import { expiryOf, LifetimeSelect, type Lifetime } from './expiry.tsx';

const t = words({ en, de });

type NewKey = Sent<'/management/v1/users/{id}/keys', 'post'>;

interface KeysProperties {
  readonly queryKey: readonly string[];
  readonly fileName: string;
  readonly lead: string;
  readonly mayWrite: boolean;
  readonly find: (search: KeySearch) => Promise<CursorPage<Credential>>;
  readonly add: (body: NewKey) => Promise<{ readonly keyDetails?: string | undefined }>;
  readonly remove: (id: string) => Promise<unknown>;
}

/** The keys that an application or a service user signs with. */
export function Keys(properties: KeysProperties) {
  const { queryKey, fileName, lead, mayWrite, find, add, remove } = properties;
  const [isAdding, setAdding] = useState(false);
  const [file, setFile] = useState<string>();
  const act = useAct({
    call: add,
    stale: [queryKey],
    done: t.keys.added,
    quiet: true,
    // what was typed for it
    stays: true,
    onDone: ({ keyDetails }) => {
      setAdding(false);
      if (keyDetails !== undefined) setFile(keyFileOf(keyDetails));
    },
  });
  return (
    <Section
      title={t.keys.title}
      lead={lead}
      action={
        mayWrite &&
        !isAdding && (
          <Button variant="default" onClick={() => setAdding(true)}>
            {t.keys.add}
          </Button>
        )
      }
    >
      {file !== undefined && <Secret title={t.keys.made} value={file} fileName={fileName} />}
      {isAdding && (
        <NewKeyForm
          isWorking={act.isPending}
          error={act.error}
          onAdd={(body) => act.mutate(body)}
          onCancel={() => {
            setAdding(false);
            act.reset();
          }}
        />
      )}
      <CredentialList
        kind={KEYS}
        label={t.keys.title}
        none={t.keys.none}
        queryKey={queryKey}
        find={find}
        removeText={t.keys.removeText}
        removed={t.keys.removed}
        mayWrite={mayWrite}
        remove={remove}
      />
    </Section>
  );
}

/** The answer has the file in base64; people get it as it is saved. */
export function keyFileOf(keyDetails: string): string {
  const bytes = Uint8Array.from(atob(keyDetails), (character) => character.codePointAt(0) ?? 0);
  return JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), undefined, 2);
}

interface NewKeyFormProperties {
  readonly isWorking: boolean;
  readonly error: unknown;
  readonly onAdd: (body: NewKey) => void;
  readonly onCancel: () => void;
}

function NewKeyForm({ isWorking, error, onAdd, onCancel }: NewKeyFormProperties) {
  const [lifetime, setLifetime] = useState<Lifetime>('365');
  const [publicKey, setPublicKey] = useState('');
  const isPasted = publicKey.trim() !== '';
  // it has no draft
  useHold(isPasted);
  return (
    <form
      aria-label={t.keys.add}
      onSubmit={(event) => {
        event.preventDefault();
        onAdd({
          ...expiryOf(lifetime),
          ...(isPasted && { publicKey: publicKeyOf(publicKey.trim()) }),
        });
      }}
    >
      {error !== null && <Failure error={error} stays />}
      {isPasted && <LeaveGuard what={t.keys.add} isDirty isSaving={isWorking} overFilters />}
      <Stack maw={640} mb="md">
        <LifetimeSelect value={lifetime} onChange={setLifetime} />
        <Textarea
          label={t.keys.own}
          description={t.keys.ownHelp}
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={publicKey}
          onChange={({ currentTarget }) => setPublicKey(currentTarget.value)}
        />
        <Group gap="xs">
          <Button type="submit" loading={isWorking}>
            {isPasted ? t.keys.add : t.keys.submit}
          </Button>
          <Button variant="default" onClick={onCancel}>
            {t.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A JWK is sent as the object that it is, a PEM as its text. */
function publicKeyOf(text: string): unknown {
  if (!text.startsWith('{')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // the service says what is wrong with it
    return text;
  }
}
