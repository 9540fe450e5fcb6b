import { Badge, Button, Code, Group, Stack, Table, Tabs, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import de from '../../../locales/console/de/applications.json';
import en from '../../../locales/console/en/applications.json';
import { answered, api, type Answered } from '../api/client.ts';
import { words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { useDraft } from '../shared/draft.ts';
import { Failure } from '../shared/failure.tsx';
import { Section } from '../shared/section.tsx';
import { UserPicker } from '../users/user-picker.tsx';
import { applicationParams, type Where } from './applications.ts';

const t = words({ en, de }).preview;

type Preview = Answered<'/management/v1/projects/{projectId}/apps/{appId}/_preview', 'post'>;
type Claim = Preview['userinfo'][number];
const USUAL_SCOPE = 'openid profile email';
const PLACES = ['idToken', 'accessToken', 'userinfo', 'introspection'] as const;

/** What tokens would say about somebody, and why: asked for by a button, since each look is in the audit log. */
export function ClaimsPreview({ where }: { readonly where: Where }) {
  const [userId, setUserId] = useState<string>();
  const [scope, setScope] = useState(USUAL_SCOPE);
  // nothing of it is saved: it comes back, and nobody is asked
  useDraft(
    `claims-preview-${where.app}`,
    { userId, scope },
    userId !== undefined || scope !== USUAL_SCOPE,
    (kept) => {
      setUserId(kept.userId);
      setScope(kept.scope);
    },
  );
  const look = useAct({
    call: async (asked: { readonly userId: string; readonly scope: string }) =>
      await answered(
        api.POST('/management/v1/projects/{projectId}/apps/{appId}/_preview', {
          params: applicationParams(where),
          body: asked,
        }),
      ),
    stale: [],
    quiet: true,
  });
  return (
    <Section title={t.title} lead={t.lead}>
      <form
        aria-label={t.title}
        onSubmit={(event) => {
          event.preventDefault();
          if (userId !== undefined) look.mutate({ userId, scope: scope.trim() });
        }}
      >
        <Stack gap="sm">
          <UserPicker
            org={where.org}
            label={t.user}
            isInForm
            value={userId}
            onChange={(id) => {
              setUserId(id);
              // claims of one user must not stand under the name of another
              look.reset();
            }}
          />
          <TextInput
            label={t.scope}
            value={scope}
            onChange={({ currentTarget }) => setScope(currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            maw={640}
          />
          <Group>
            <Button type="submit" variant="default" loading={look.isPending} disabled={userId === undefined}>
              {t.show}
            </Button>
          </Group>
        </Stack>
      </form>
      {look.error && <Failure error={look.error} />}
      {look.data !== undefined && <Places preview={look.data} />}
    </Section>
  );
}

function Places({ preview }: { readonly preview: Preview }) {
  const shown = PLACES.filter((place) => preview[place] !== undefined);
  return (
    <Tabs defaultValue={shown[0] ?? 'userinfo'} mt="md">
      <Tabs.List>
        {shown.map((place) => (
          <Tabs.Tab key={place} value={place}>
            {t.places[place]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {shown.map((place) => (
        <Tabs.Panel key={place} value={place} pt="sm">
          <Claims label={t.places[place]} claims={preview[place] ?? []} />
        </Tabs.Panel>
      ))}
      {preview.accessToken === undefined && (
        <Text size="sm" c="dimmed" mt="sm">
          {t.opaque}
        </Text>
      )}
      <Text size="sm" c="dimmed" mt="sm">
        {t.webhook}
      </Text>
    </Tabs>
  );
}

function Claims({ label, claims }: { readonly label: string; readonly claims: readonly Claim[] }) {
  return (
    <Table aria-label={label} verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t.claim}</Table.Th>
          <Table.Th w="40%">{t.why}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {claims.map((claim) => (
          <Table.Tr key={claim.name}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              <Text span size="sm" fw={600} ff="monospace">
                {claim.name}
              </Text>
              <Code block mt={4} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {JSON.stringify(claim.value, null, 1)}
              </Code>
            </Table.Td>
            <Table.Td style={{ overflowWrap: 'anywhere', verticalAlign: 'top' }}>
              <Text size="sm">{t.sources[claim.source]}</Text>
              {[...claim.scopes, ...claim.switches.map((one) => t.switches[one])].map((reason) => (
                <Badge
                  key={reason}
                  c="var(--mantine-color-text)"
                  bg="var(--sunken)"
                  mt={4}
                  mr={4}
                  h="auto"
                  style={{ textTransform: 'none', whiteSpace: 'normal' }}
                >
                  {reason}
                </Badge>
              ))}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
