import { Alert, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/messages.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/messages.json';
import shared from '../../../locales/console/en/shared.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { useMay, useMayInInstance } from '../app/permissions.ts';
import { every } from '../app/queries.ts';
import { momentOf, numberOf, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Found } from '../shared/found.tsx';
import { AppLink } from '../shared/links.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { Copied } from '../shared/secret.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { State } from '../shared/state.tsx';
import { UserLink } from '../users/user-link.tsx';
import { causeOf, CHANNELS, MESSAGE_STATES, readMessage, TEMPLATES, type Message } from './messages.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
const LOOK_AGAIN_MS = 3000;

/** One mail or SMS: whether it arrived, and if not, why. */
export function MessagePage() {
  const { org = '', message: id = '' } = useParams({ strict: false });
  const found = useQuery({
    queryKey: ['messages', org, 'one', id],
    queryFn: async () => await readMessage(org, id),
    refetchInterval: (query) =>
      ['queued', 'sending'].includes(query.state.data?.state ?? '') && every(LOOK_AGAIN_MS)(query),
  });
  return <Found found={found}>{(message) => <OneMessage org={org} message={message} />}</Found>;
}

function OneMessage({ org, message }: { readonly org: string; readonly message: Message }) {
  const may = useMay(org);
  return (
    <div className="console-page">
      <PageHead
        title={TEMPLATES[message.template]}
        lead={
          <Group gap="xs">
            <Text span>{CHANNELS[message.channel]}</Text>
            <State {...MESSAGE_STATES[message.state]} />
          </Group>
        }
        back={
          <AppLink size="sm" to="/orgs/$org/messages" params={{ org }}>
            {t.title}
          </AppLink>
        }
        actions={may('notification.write') && message.deadLetter && <Replay org={org} id={message.id} />}
      />
      {message.reason !== undefined && (
        <Alert
          color={MESSAGE_STATES[message.state].tone === 'bad' ? 'red' : 'yellow'}
          variant="light"
          mb="md"
          title={t.cause}
        >
          {causeOf(message.reason)}
          {message.deadLetter && <Text size="sm">{t.deadLetterText}</Text>}
          {message.ambiguous && <Text size="sm">{t.ambiguousText}</Text>}
        </Alert>
      )}
      <Outcome org={org} message={message} />
    </div>
  );
}

function Outcome({ org, message }: { readonly org: string; readonly message: Message }) {
  const seesProviders = useMayInInstance()('iam.notification_provider.read');
  const { userId, providerId } = message;
  return (
    <Section title={t.outcome}>
      <Facts
        facts={[
          [t.recipient, userId && <UserLink key="user" org={org} id={userId} />],
          [t.fields.target, message.target],
          [t.fields.attempts, numberOf(message.attempts)],
          [t.fields.reason, codeOf(message.reason)],
          [t.fields.cause, codeOf(message.cause)],
          [t.fields.next, momentOf(message.nextAttemptAt)],
          [
            t.fields.provider,
            providerId !== undefined && seesProviders ? (
              <AppLink key="provider" to="/instance/providers/$provider" params={{ provider: providerId }}>
                {providerId}
              </AppLink>
            ) : (
              codeOf(providerId)
            ),
          ],
          [
            t.fields.providerMessage,
            message.providerMessageId && <Copied key="message" value={message.providerMessageId} />,
          ],
          [t.fields.unclear, message.ambiguous ? s.yes : undefined],
          [s.list.created, momentOf(message.details.creationDate)],
          [t.fields.finished, momentOf(message.finishedAt)],
          [t.fields.delivered, momentOf(message.deliveredAt)],
          [t.fields.expires, momentOf(message.expiresAt)],
          [t.fields.id, <Copied key="id" value={message.id} />],
        ]}
      />
    </Section>
  );
}

function codeOf(value: string | undefined) {
  if (value === undefined) return undefined;
  return (
    <Text span ff="monospace" size="sm">
      {value}
    </Text>
  );
}

function Replay({ org, id }: { readonly org: string; readonly id: string }) {
  const params = { ...inOrganization(org), path: { id } };
  const replay = useAct({
    call: async () => await answered(api.POST('/management/v1/notifications/{id}/_replay', { params })),
    stale: [['messages', org]],
    done: t.replay.done,
  });
  return (
    <Confirm
      variant="filled"
      label={t.replay.one}
      title={t.replay.one}
      text={t.replay.oneText}
      isWorking={replay.isPending}
      onConfirm={() => replay.mutate()}
    />
  );
}
