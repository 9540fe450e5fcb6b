import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import de from '../../../locales/console/de/credentials.json';
import en from '../../../locales/console/en/credentials.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Failure } from '../shared/failure.tsx';
import { Secret } from '../shared/secret.tsx';
import { Section } from '../shared/section.tsx';
import { CredentialList } from './credential-list.tsx';
import { inAddress, TOKENS } from './credentials.ts';
import { expiryOf, LifetimeSelect, type Lifetime } from './expiry.tsx';

const t = words({ en, de });

interface TokensProperties {
  readonly org: string;
  readonly user: string;
  readonly mayWrite: boolean;
}

/** The personal access tokens of a service user. */
export function Tokens({ org, user, mayWrite }: TokensProperties) {
  const params = { ...inOrganization(org), path: { id: user } };
  const queryKey = ['users', org, user, 'tokens'];
  const [isAdding, setAdding] = useState(false);
  const [lifetime, setLifetime] = useState<Lifetime>('365');
  const [token, setToken] = useState<string>();
  const add = useAct({
    call: async () =>
      await answered(api.POST('/management/v1/users/{id}/pats', { params, body: expiryOf(lifetime) })),
    stale: [queryKey],
    quiet: true,
    // what was chosen for it
    stays: true,
    onDone: (made) => {
      setAdding(false);
      setToken(made.token);
    },
  });
  return (
    <Section
      title={t.tokens.title}
      lead={t.tokens.lead}
      action={
        mayWrite &&
        !isAdding && (
          <Button variant="default" onClick={() => setAdding(true)}>
            {t.tokens.add}
          </Button>
        )
      }
    >
      {token !== undefined && <Secret title={t.tokens.made} value={token} />}
      {isAdding && (
        <form
          aria-label={t.tokens.add}
          onSubmit={(event) => {
            event.preventDefault();
            add.mutate();
          }}
        >
          {add.error && <Failure error={add.error} stays />}
          <Group align="flex-end" gap="xs" mb="md">
            <LifetimeSelect value={lifetime} onChange={setLifetime} />
            <Button type="submit" loading={add.isPending}>
              {t.tokens.submit}
            </Button>
            <Button
              variant="default"
              onClick={() => {
                setAdding(false);
                add.reset();
              }}
            >
              {t.cancel}
            </Button>
          </Group>
        </form>
      )}
      <CredentialList
        kind={TOKENS}
        label={t.tokens.title}
        none={t.tokens.none}
        queryKey={queryKey}
        find={async (search) =>
          await answered(
            api.GET('/management/v1/users/{id}/pats', { params: { ...params, query: inAddress(search) } }),
          )
        }
        removeText={t.tokens.removeText}
        removed={t.tokens.removed}
        mayWrite={mayWrite}
        remove={async (tokenId) =>
          await answered(
            api.DELETE('/management/v1/users/{id}/pats/{tokenId}', {
              params: { ...params, path: { id: user, tokenId } },
            }),
          )
        }
      />
    </Section>
  );
}
