import { Box, Button, Code, Group, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import de from '../../../locales/console/de/events.json';
import en from '../../../locales/console/en/events.json';
import { language, say, words } from '../app/words.ts';
import { AppLink } from '../shared/links.tsx';
import { Facts } from '../shared/section.tsx';
import { UserLink } from '../users/user-link.tsx';
import { AGGREGATES, EVENT_TYPES, type LoggedEvent } from './events.ts';

const t = words({ en, de });
const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });

interface EventRowProperties {
  readonly event: LoggedEvent;
  /** Of the page: where actors are looked for who are not of the event's organization. */
  readonly home: string;
}

export function EventRow({ event, home }: EventRowProperties) {
  const [opened, { toggle }] = useDisclosure(false);
  const { id, type, fields = [], creationDate } = event;
  return (
    <>
      <Table.Tr>
        <Table.Td visibleFrom="sm" style={{ whiteSpace: 'nowrap' }}>
          {moment.format(new Date(creationDate))}
        </Table.Td>
        <Table.Td>
          {EVENT_TYPES[type] ?? type}
          <Box hiddenFrom="sm">
            <Text size="sm" c="dimmed">
              {moment.format(new Date(creationDate))}
            </Text>
            <Actor event={event} home={home} />
          </Box>
          {fields.length > 0 && (
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {say(t.changed, { fields: fields.join(', ') })}
            </Text>
          )}
        </Table.Td>
        <Table.Td visibleFrom="sm">
          <Actor event={event} home={home} />
        </Table.Td>
        <Table.Td visibleFrom="sm">
          <Target event={event} home={home} />
        </Table.Td>
        <Table.Td w={100} ta="end">
          <Button
            size="compact-sm"
            variant="default"
            onClick={toggle}
            aria-expanded={opened}
            aria-label={say(t.detailsOf, { id })}
          >
            {t.details}
          </Button>
        </Table.Td>
      </Table.Tr>
      {opened && (
        <Table.Tr>
          <Table.Td colSpan={5}>
            <Facts
              facts={[
                [t.type, <Code key="type">{type}</Code>],
                [t.id, id],
                [
                  AGGREGATES[event.aggregate.type] ?? event.aggregate.type,
                  <Target key="target" event={event} home={home} />,
                ],
                [t.number, event.sequence],
                [t.organization, event.resourceOwner],
                ...Object.entries(event.payload ?? {}).map(
                  ([name, value]) =>
                    [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
                ),
              ]}
            />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

function Actor({ event: { editor, resourceOwner }, home }: EventRowProperties) {
  if (editor === undefined)
    return (
      <Text span c="dimmed">
        {t.service}
      </Text>
    );
  return <UserLink org={resourceOwner ?? home} id={editor.userId} elsewhere={home} />;
}

/** What it was done to, with the way there where the console has a page for it. */
function Target({ event, home }: EventRowProperties) {
  const { aggregate, resourceOwner: org = home, payload = {} } = event;
  const projectId = payload['projectId'];
  const kind = (
    <Text size="sm" c="dimmed">
      {AGGREGATES[aggregate.type] ?? aggregate.type}
    </Text>
  );
  if (aggregate.type === 'user')
    return (
      <>
        <UserLink org={org} id={aggregate.id} elsewhere={home} />
        {kind}
      </>
    );
  const shown = (
    <Text span ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
      {aggregate.id}
    </Text>
  );
  if (aggregate.type === 'application' && typeof projectId === 'string')
    return (
      <Group gap={0}>
        <AppLink
          to="/orgs/$org/projects/$project/applications/$app/{-$part}"
          params={{ org, project: projectId, app: aggregate.id }}
        >
          {shown}
        </AppLink>
        {kind}
      </Group>
    );
  if (aggregate.type === 'project')
    return (
      <>
        <AppLink to="/orgs/$org/projects/$project" params={{ org, project: aggregate.id }}>
          {shown}
        </AppLink>
        {kind}
      </>
    );
  if (aggregate.type === 'notification_provider')
    return (
      <>
        <AppLink to="/instance/providers/$provider" params={{ provider: aggregate.id }}>
          {shown}
        </AppLink>
        {kind}
      </>
    );
  if (aggregate.type === 'import')
    return (
      <>
        <AppLink to="/orgs/$org/imports/$importId" params={{ org, importId: aggregate.id }}>
          {shown}
        </AppLink>
        {kind}
      </>
    );
  if (aggregate.type === 'notification')
    return (
      <>
        <AppLink to="/orgs/$org/messages/$message" params={{ org, message: aggregate.id }}>
          {shown}
        </AppLink>
        {kind}
      </>
    );
  return (
    <>
      {shown}
      {kind}
    </>
  );
}
