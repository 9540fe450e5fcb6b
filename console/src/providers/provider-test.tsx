import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import de from '../../../locales/console/de/providers.json';
import en from '../../../locales/console/en/providers.json';
import { answered, api } from '../api/client.ts';
import { say, words } from '../app/words.ts';
import { causeOf } from '../messages/messages.ts';
import { useAct } from '../shared/act.ts';
import { useDraft } from '../shared/draft.ts';
import { Failure } from '../shared/failure.tsx';
import { LeaveGuard } from '../shared/leave-guard.tsx';
import { Section } from '../shared/section.tsx';
import { PROVIDERS_KEY, type Provider, type TestResult } from './providers.ts';

const t = words({ en, de });

/** One message at once, whether the provider is active or not, and what it answered. */
export function ProviderTest({ provider }: { readonly provider: Provider }) {
  const [to, setTo] = useState('');
  const [sentTo, setSentTo] = useState('');
  const isMail = provider.channel === 'email';
  const send = useAct({
    call: async (address: string) =>
      await answered(
        api.POST('/admin/v1/notification_providers/{id}/_test', {
          params: { path: { id: provider.id } },
          body: { to: address },
        }),
      ),
    stale: [PROVIDERS_KEY],
    quiet: true,
  });
  const isDirty = to.trim() !== '' && to.trim() !== sentTo;
  useDraft(`provider-test-${provider.id}`, to, isDirty, setTo);
  return (
    <Section title={t.test.title} lead={isMail ? t.test.mailLead : t.test.smsLead}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate(to.trim(), { onSuccess: (_result, address) => setSentTo(address) });
        }}
      >
        <LeaveGuard isDirty={isDirty} isSaving={send.isPending} overFilters />
        <Group align="flex-end" gap="sm">
          <TextInput
            label={isMail ? t.test.address : t.test.number}
            type={isMail ? 'email' : 'tel'}
            autoComplete={isMail ? 'email' : 'tel'}
            required
            value={to}
            onChange={({ currentTarget }) => setTo(currentTarget.value)}
            w={{ base: '100%', sm: 320 }}
          />
          <Button type="submit" variant="default" loading={send.isPending}>
            {t.test.send}
          </Button>
        </Group>
      </form>
      {send.error && <Failure error={send.error} />}
      {send.data !== undefined && <Answer result={send.data} />}
    </Section>
  );
}

function Answer({ result }: { readonly result: TestResult }) {
  const { accepted, reason, said, providerMessageId, host, cause } = result;
  return (
    <Alert
      color={accepted ? 'green' : 'red'}
      variant="light"
      mt="md"
      role="status"
      title={accepted ? t.test.accepted : t.test.refused}
    >
      {accepted ? t.test.acceptedText : reason !== undefined && causeOf(reason)}
      {said !== undefined && <Text size="sm">{say(t.test.said, { said })}</Text>}
      {(host !== undefined || cause !== undefined) && (
        <Text size="sm" ff="monospace">
          {[host, cause].filter(Boolean).join(' ')}
        </Text>
      )}
      {providerMessageId !== undefined && (
        <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {providerMessageId}
        </Text>
      )}
    </Alert>
  );
}
