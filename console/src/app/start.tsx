import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Navigate } from '@tanstack/react-router';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { Failure } from '../shared/failure.tsx';
import { LoadingPage } from '../shared/loading.tsx';
import { useMe, useOwnPermissions } from './permissions.ts';
import { words } from './words.ts';

const t = words({ en, de });

/** Leads to an organization that the visitor may look at: their own before others. */
export function Start() {
  const me = useMe();
  const own = useOwnPermissions();
  if (own.error ?? me.error)
    return (
      <Failure
        error={own.error ?? me.error}
        onRetry={() => {
          void own.refetch();
          void me.refetch();
        }}
      />
    );
  if (own.data === undefined || me.data === undefined) return <LoadingPage />;
  const { instance, organizations } = own.data;
  const home = me.data.details.resourceOwner;
  const visible = organizations.filter(
    ({ permissions }) => permissions.includes('org.read') || instance.permissions.includes('org.read'),
  );
  const [first] = [...visible].sort((a, b) => Number(b.id === home) - Number(a.id === home));
  if (first !== undefined) return <Navigate to="/orgs/$org" params={{ org: first.id }} replace />;
  return (
    <Stack maw={520} mx="auto" mt={96}>
      <Title order={1} size="h2">
        {own.data.mfaRequired === true ? t.mfa.title : t.nothing.title}
      </Title>
      <Text c="dimmed">{own.data.mfaRequired === true ? t.mfa.text : t.nothing.text}</Text>
      <Anchor href={own.data.mfaRequired === true ? '/account/security' : '/account'}>
        {own.data.mfaRequired === true ? t.mfa.action : t.nav.account}
      </Anchor>
    </Stack>
  );
}
