import { Alert, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/messages.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/messages.json';
import shared from '../../../locales/console/en/shared.json';
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
import {
  causeOf,
  CHANNELS,
  hostOf,
  MESSAGE_STATES,
  readMessage,
  replayMessage,
  TEMPLATES,
  type Message,
  type Scope,
} from './messages.ts';
import { OrganizationLink } from './organization-link.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
const LOOK_AGAIN_MS = 3000;

/** One mail or SMS: whether it arrived, and if not, why. */
export function MessagePage() {
  const { org = '', message = '' } = useParams({ strict: false });
  const may = useMay(org);
  return <One scope={{ org }} id={message} mayReplay={may('notification.write')} />;
}

/** The same of whichever organization, with where the provider is that did not take it. */
export function InstanceMessagePage() {
  const { message = '' } = useParams({ strict: false });
  const may = useMayInInstance();
  return <One scope="instance" id={message} mayReplay={may('iam.write')} />;
}

interface OneProperties {
  readonly scope: Scope;
  readonly id: string;
  readonly mayReplay: boolean;
}

function One({ scope, id, mayReplay }: OneProperties) {
  const found = useQuery({
    queryKey: ['messages', scope, 'one', id],
    queryFn: async () => await readMessage(scope, id),
    refetchInterval: (query) =>
      ['queued', 'sending'].includes(query.state.data?.state ?? '') && every(LOOK_AGAIN_MS)(query),
  });
  return (
    <Found found={found}>
      {(message) => <OneMessage scope={scope} message={message} mayReplay={mayReplay} />}
    </Found>
  );
}

interface OneMessageProperties {
  readonly scope: Scope;
  readonly message: Message;
  readonly mayReplay: boolean;
}

function OneMessage({ scope, message, mayReplay }: OneMessageProperties) {
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
          scope === 'instance' ? (
            <AppLink size="sm" to="/instance/messages">
              {t.instanceTitle}
            </AppLink>
          ) : (
            <AppLink size="sm" to="/orgs/$org/messages" params={{ org: scope.org }}>
              {t.title}
            </AppLink>
          )
        }
        actions={mayReplay && message.deadLetter && <Replay scope={scope} id={message.id} />}
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
      <Outcome scope={scope} message={message} />
    </div>
  );
}

function Outcome({ scope, message }: { readonly scope: Scope; readonly message: Message }) {
  const seesProviders = useMayInInstance()('iam.notification_provider.read');
  const { userId, providerId, details } = message;
  return (
    <Section title={t.outcome}>
      <Facts
        facts={[
          [t.recipient, userId && <UserLink key="user" org={details.resourceOwner} id={userId} />],
          [
            t.organization,
            scope === 'instance' ? <OrganizationLink key="organization" message={message} /> : undefined,
          ],
          [t.fields.target, message.target],
          [t.fields.attempts, numberOf(message.attempts)],
          [t.fields.reason, codeOf(message.reason)],
          [t.fields.cause, codeOf(message.cause)],
          [t.fields.host, codeOf(hostOf(message))],
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
          [s.list.created, momentOf(details.creationDate)],
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

function Replay({ scope, id }: { readonly scope: Scope; readonly id: string }) {
  const replay = useAct({
    call: async () => await replayMessage(scope, id),
    stale: [['messages']],
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
