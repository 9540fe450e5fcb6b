import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy } from 'react';
import de from '../../../locales/console/de/home.json';
import en from '../../../locales/console/en/home.json';
import { Later } from '../app/later.tsx';
import { useOrganizationName } from '../app/organization-name.ts';
import { useMay, useMayInInstance } from '../app/permissions.ts';
import { numberOf, say, since, words } from '../app/words.ts';
import { NotRead } from '../shared/failure.tsx';
import { Unread } from '../shared/found.tsx';
import { InView } from '../shared/in-view.tsx';
import { AppLink } from '../shared/links.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { State } from '../shared/state.tsx';
import { findUsers, nameOf, USER_STATES } from '../users/users.ts';

const t = words({ en, de });
/** Of two rows of charts with their heading. */
const CHARTS_HEIGHT = 640;

// the first page is there before what it says, and charts are there for whoever comes to them
const Activity = lazy(async () => ({ default: (await import('./activity.tsx')).Activity }));
const FirstSteps = lazy(async () => ({ default: (await import('./first-steps.tsx')).FirstSteps }));
const HealthSection = lazy(async () => ({ default: (await import('./health.tsx')).HealthSection }));

/** Where one begins: what is still to do, and who came last. */
export function HomePage() {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  const mayInInstance = useMayInInstance();
  const name = useOrganizationName(org);
  return (
    <div className="console-page">
      <PageHead title={name ?? t.title} />
      {mayInInstance('queues.read') && (
        <Later fallback={<LoadingRows rows={2} />} failed={<NotRead />}>
          <HealthSection />
        </Later>
      )}
      <Later fallback={<LoadingRows rows={6} />} failed={<NotRead />}>
        <FirstSteps org={org} />
        {may('events.read') && (
          // below the first steps, so within their boundary: before these are there everything is in view
          <InView height={CHARTS_HEIGHT}>
            <Later fallback={<LoadingRows rows={6} />} failed={<NotRead />}>
              <Activity key={org} org={org} />
            </Later>
          </InView>
        )}
      </Later>
      {may('user.read') && <NewestUsers org={org} />}
    </div>
  );
}

function NewestUsers({ org }: { readonly org: string }) {
  const list = useQuery({
    queryKey: ['users', org, 'newest'],
    queryFn: async () => await findUsers(org, { type: 'TYPE_HUMAN', limit: 5 }),
  });
  const total = list.data?.total ?? 0;
  return (
    <Paper component="section" p={{ base: 'md', sm: 'lg' }} aria-label={t.newest}>
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4">
          {t.newest}
        </Title>
        <AppLink to="/orgs/$org/users" params={{ org }}>
          {t.allUsers}
          {list.data !== undefined &&
            ` (${list.data.hasMoreThanTotal === true ? say(t.usersMore, { total: numberOf(total) }) : numberOf(total)})`}
        </AppLink>
      </Group>
      <Unread found={list} />
      {list.data === undefined && !list.error && <LoadingRows rows={3} />}
      {list.data?.result.length === 0 && (
        <Text size="sm" c="dimmed">
          {t.nobody}
        </Text>
      )}
      <Stack gap="sm">
        {list.data?.result.map((user) => (
          <Group key={user.id} justify="space-between" wrap="nowrap">
            <Stack gap={0} miw={0}>
              <AppLink fw={600} to="/orgs/$org/users/$user" params={{ org, user: user.id }}>
                {nameOf(user)}
              </AppLink>
              <Text size="sm" c="dimmed" truncate>
                {user.preferredLoginName}
              </Text>
            </Stack>
            <Group gap="sm" wrap="nowrap">
              <State {...USER_STATES[user.state]} />
              <Text size="sm" c="dimmed" visibleFrom="sm">
                {since(user.details.creationDate)}
              </Text>
            </Group>
          </Group>
        ))}
      </Stack>
    </Paper>
  );
}
