import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/home.json';
import en from '../../../locales/console/en/home.json';
import { answered, api, inOrganization, type Answered } from '../api/client.ts';
import { useMayIn, useMe, type MayIn } from '../app/permissions.ts';
import { untilThere } from '../app/queries.ts';
import { say, words } from '../app/words.ts';
import { wholeOf } from '../shared/page-parts.ts';
import { Section } from '../shared/section.tsx';
import { State } from '../shared/state.tsx';
import { findUsers } from '../users/users.ts';
import { useHealth } from './find-health.ts';

const t = words({ en, de }).steps;

interface FirstStep {
  readonly label: string;
  readonly help: string;
  /** Where it is done, as an address of the console or of the service. */
  readonly at: string;
  /** Undefined until it is known. */
  readonly isDone: boolean | undefined;
}

interface Check {
  readonly name: 'domain' | 'application' | 'user' | 'keys';
  readonly permission: string;
  readonly at: string;
  readonly isDone: (org: string, me: string) => Promise<boolean>;
}

const CHECKS: readonly Check[] = [
  { name: 'application', permission: 'project.app.read', at: '/projects', isDone: hasApplication },
  { name: 'user', permission: 'user.write', at: '/users', isDone: hasUsers },
  { name: 'domain', permission: 'org.write', at: '/settings', isDone: hasDomain },
  { name: 'keys', permission: 'iam.web_key.read', at: '/instance/keys', isDone: rotatesKeys },
];

/** So many calls at a time where each of many things has to be asked for. */
const AT_A_TIME = 10;

/** What a new organization needs, of what the visitor may see to; each is read from what there is. */
export function FirstSteps({ org }: { readonly org: string }) {
  const steps = useFirstSteps(org);
  const isKnown = steps.every(({ isDone }) => isDone !== undefined);
  const isDone = steps.every((step) => step.isDone === true);
  return (
    <Section title={t.title} lead={isKnown && isDone ? t.all : t.lead}>
      {!(isKnown && isDone) && (
        <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {steps.map((step) => (
            <Step key={step.label} {...step} />
          ))}
        </Stack>
      )}
    </Section>
  );
}

function Step({ label, help, at, isDone }: FirstStep) {
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="sm">
      {isDone === undefined ? (
        <Skeleton height={22} width={84} mt={2} />
      ) : (
        <Text component="div" w={84} style={{ flex: 'none' }}>
          <State tone={isDone ? 'good' : 'warning'} label={isDone ? t.done : t.open} />
        </Text>
      )}
      <Stack gap={0}>
        <Anchor href={at} fw={600}>
          {label}
        </Anchor>
        <Text size="sm" c="dimmed">
          {help}
        </Text>
      </Stack>
    </Group>
  );
}

function useFirstSteps(org: string): readonly FirstStep[] {
  const { data: { id: me = '' } = {} } = useMe();
  const mayIn = useMayIn();
  const checks = CHECKS.filter(({ permission }) => mayIn(org, permission));
  const results = useQueries({
    queries: checks.map(({ name, isDone }) => ({
      queryKey: ['first-steps', org, name],
      queryFn: async () => await isDone(org, me),
      enabled: me !== '',
      refetchInterval: untilThere,
      staleTime: ({ state }: { readonly state: { readonly data: boolean | undefined } }) =>
        fresh(state.data === true),
    })),
  });
  const steps = checks.map(({ name, at }, index) => ({
    ...t[name],
    at: `/console${at.startsWith('/instance') ? '' : `/orgs/${org}`}${at}`,
    isDone: results[index]?.data,
  }));
  return [...steps, ...useMailStep(mayIn(org, 'queues.read')), useFactorStep(org, me, mayIn)];
}

/** Whoever comes back from doing a step finds it done; what is done is not asked for each time. */
function fresh(isDone: boolean): number {
  return isDone ? 60_000 : 0;
}

function useMailStep(maySee: boolean): readonly FirstStep[] {
  const { data } = useHealth(maySee);
  if (!maySee) return [];
  const isDone = data?.parts.some(({ name, state }) => name === 'mail' && state === 'good');
  return [{ ...t.mail, at: '/console/instance/providers', isDone }];
}

type Member = NonNullable<Answered<'/admin/v1/members/_search', 'post'>['result']>[number];

interface Factors {
  readonly isDone: boolean;
  /** An owner who has none. */
  readonly without?: Member;
}

/** That of all owners, for whoever may see who they are and what they have; else one's own. */
function useFactorStep(org: string, me: string, mayIn: MayIn): FirstStep {
  const isOfOwners = mayIn(org, 'org.member.read');
  const { data } = useQuery({
    queryKey: ['first-steps', org, isOfOwners ? 'owners' : 'factor'],
    queryFn: async () => (isOfOwners ? await factorsOfOwners(org, mayIn) : await ownFactors()),
    refetchInterval: untilThere,
    staleTime: ({ state }) => fresh(state.data?.isDone === true),
  });
  const { isDone, without } = data ?? {};
  if (!isOfOwners) return { ...t.factor, at: '/account/security', isDone };
  const { label, help, missing } = t.owners;
  return {
    label,
    help: without === undefined ? help : `${help} ${say(missing, { name: without.displayName })}`,
    at:
      without === undefined || without.userId === me
        ? '/account/security'
        : `/console/orgs/${without.userResourceOwner}/users/${without.userId}/security`,
    isDone,
  };
}

async function factorsOfOwners(org: string, mayIn: MayIn): Promise<Factors> {
  const members = await Promise.all([
    wholeOf(
      async (page) =>
        await answered(
          api.POST('/management/v1/orgs/me/members/_search', {
            params: inOrganization(org),
            body: { query: page },
          }),
        ),
    ),
    mayIn(org, 'iam.member.read')
      ? wholeOf(
          async (page) => await answered(api.POST('/admin/v1/members/_search', { body: { query: page } })),
        )
      : [],
  ]);
  const owners = members
    .flat()
    .filter(
      ({ roles, userType, userResourceOwner }) =>
        userType === 'TYPE_HUMAN' &&
        roles.some((role) => role === 'ORG_OWNER' || role === 'IAM_OWNER') &&
        mayIn(userResourceOwner, 'user.read'),
    );
  if (owners.length === 0) return await ownFactors();
  const without = await findFirst(owners, async ({ userId: id, userResourceOwner }) => {
    const params = { ...inOrganization(userResourceOwner), path: { id } };
    return !isFactor(await answered(api.GET('/management/v1/users/{id}/factors', { params })));
  });
  return { isDone: without === undefined, ...(without !== undefined && { without }) };
}

async function ownFactors(): Promise<Factors> {
  return { isDone: isFactor(await answered(api.GET('/auth/v1/users/me/factors'))) };
}

function isFactor({ totp, passkeys, email, sms }: Answered<'/auth/v1/users/me/factors', 'get'>): boolean {
  return totp || passkeys > 0 || email || sms;
}

/** In a project beside the service's own, whose one application is this console. */
async function hasApplication(org: string): Promise<boolean> {
  const params = inOrganization(org);
  const projects = await wholeOf(
    async (page) =>
      await answered(api.POST('/management/v1/projects/_search', { params, body: { query: page } })),
  );
  const found = await findFirst(projects, async ({ id: projectId }) => {
    const { result: applications = [] } = await answered(
      api.POST('/management/v1/projects/{projectId}/apps/_search', {
        params: { ...params, path: { projectId } },
        body: { query: { limit: 2 } },
      }),
    );
    return applications.some(({ oidcConfig }) => !isConsole(oidcConfig?.redirectUris));
  });
  return found !== undefined;
}

function isConsole(redirectUris: readonly string[] = []): boolean {
  return redirectUris.includes(`${location.origin}/console/callback`);
}

/** Somebody beside the visitor. */
async function hasUsers(org: string, me: string): Promise<boolean> {
  return (await findUsers(org, { type: 'TYPE_HUMAN', limit: 2 })).result.some(({ id }) => id !== me);
}

async function hasDomain(org: string): Promise<boolean> {
  const { result = [] } = await answered(
    api.POST('/management/v1/orgs/me/domains/_search', {
      params: inOrganization(org),
      // an organization has no more
      body: { query: { limit: 1000 } },
    }),
  );
  return result.some(
    ({ domainName, isVerified }) =>
      isVerified === true && domainName !== 'localhost' && !domainName.endsWith(`.${location.hostname}`),
  );
}

async function rotatesKeys(): Promise<boolean> {
  const { rotationPeriod } = await answered(api.GET('/admin/v1/keys/schedule'));
  return rotationPeriod !== undefined && rotationPeriod !== '0s';
}

/** The first that fits, of things that are asked about a few at a time. */
async function findFirst<Thing>(
  things: readonly Thing[],
  fits: (thing: Thing) => Promise<boolean>,
): Promise<Thing | undefined> {
  for (let at = 0; at < things.length; at += AT_A_TIME) {
    const few = things.slice(at, at + AT_A_TIME);
    const answers = await Promise.all(few.map(fits));
    const found = few.find((_, index) => answers[index]);
    if (found !== undefined) return found;
  }
  return undefined;
}
