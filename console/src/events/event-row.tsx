import { Box, Button, Code, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import de from '../../../locales/console/de/events.json';
import en from '../../../locales/console/en/events.json';
import { region, say, words } from '../app/words.ts';
import { Facts } from '../shared/section.tsx';
import { UserLink } from '../users/user-link.tsx';
import { EVENT_TYPES, type LoggedEvent } from './events.ts';
import { kindOf, Named, Thing } from './thing.tsx';

const t = words({ en, de });
const moment = new Intl.DateTimeFormat(region, { dateStyle: 'medium', timeStyle: 'medium' });

interface EventRowProperties {
  readonly event: LoggedEvent;
  /** Of the page: where actors are looked for who are not of the event's organization. */
  readonly home: string;
}

export function EventRow({ event, home }: EventRowProperties) {
  const [opened, { toggle }] = useDisclosure(false);
  const { id, type, fields = [], creationDate, aggregate, target } = event;
  return (
    <>
      <Table.Tr>
        <Table.Td visibleFrom="lg" style={{ whiteSpace: 'nowrap' }}>
          {moment.format(new Date(creationDate))}
        </Table.Td>
        <Table.Td>
          {EVENT_TYPES[type] ?? type}
          <Box hiddenFrom="md">
            <Thing event={event} home={home} />
          </Box>
          <Text c="dimmed" hiddenFrom="lg">
            {moment.format(new Date(creationDate))}
          </Text>
          <Box hiddenFrom="md">
            <Actor event={event} home={home} />
          </Box>
          {fields.length > 0 && (
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {say(t.changed, { fields: fields.join(', ') })}
            </Text>
          )}
        </Table.Td>
        <Table.Td visibleFrom="md">
          <Actor event={event} home={home} />
        </Table.Td>
        <Table.Td visibleFrom="md">
          <Thing event={event} home={home} />
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
                [kindOf(aggregate), <Named key="thing" thing={aggregate} event={event} home={home} />],
                [t.filters.aggregateId, aggregate.id],
                ...(target === undefined
                  ? []
                  : [
                      [
                        kindOf(target),
                        <Named key="target" thing={target} event={event} home={home} />,
                      ] as const,
                    ]),
                [t.number, event.sequence],
                // said above where it is what the event is about
                ...(isAbout(event.resourceOwner, aggregate, target)
                  ? []
                  : [[t.organization, event.resourceOwner] as const]),
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

function isAbout(
  organization: string | undefined,
  ...things: readonly (LoggedEvent['aggregate'] | undefined)[]
): boolean {
  return things.some((thing) => thing?.type === 'organization' && thing.id === organization);
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
