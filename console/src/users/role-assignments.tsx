import { Box, Button, Group, MultiSelect, Select, Table } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import sharedDe from '../../../locales/console/de/shared.json';
import de from '../../../locales/console/de/users.json';
import shared from '../../../locales/console/en/shared.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization, type Answered } from '../api/client.ts';
import { untilThere } from '../app/queries.ts';
import { say, words } from '../app/words.ts';
import { findGrantedProjects, findProjects } from '../projects/projects.ts';
import { useGrantedRoleChoices, useRoleChoices } from '../projects/role-choices.ts';
import { useAct } from '../shared/act.ts';
import { ActivationSwitch } from '../shared/activation-switch.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { useConflict } from '../shared/conflict.tsx';
import { useDraft } from '../shared/draft.ts';
import { Failure } from '../shared/failure.tsx';
import { useFilters } from '../shared/filters-in-address.ts';
import { useDialogDraft, type DialogDraft } from '../shared/form-dialog.tsx';
import { LeaveGuard } from '../shared/leave-guard.tsx';
import { AppLink } from '../shared/links.tsx';
import { SearchField, StateFilter } from '../shared/list.tsx';
import { Paged } from '../shared/more.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { chosen, named, orderOf, pageOf } from '../shared/search-body.ts';
import { Section } from '../shared/section.tsx';
import { SortHead, useSorting, type Orders } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

interface RoleAssignmentsProperties {
  readonly org: string;
  readonly user: string;
  readonly mayWrite: boolean;
  /** Projects lead to their pages. */
  readonly mayRead: boolean;
}

type Assignment = NonNullable<
  Answered<'/management/v1/users/{userId}/grants/_search', 'post'>['result']
>[number];

const ORDERS = {
  project: 'USER_GRANT_FIELD_NAME_PROJECT_NAME',
  created: undefined,
} as const satisfies Orders;
const STATES = {
  USER_GRANT_STATE_ACTIVE: t.roles.states.active,
  USER_GRANT_STATE_INACTIVE: t.roles.states.inactive,
} as const;
/** So many are found without filters. */
const FEW = 5;

/** What a change of the roles of a user shows in: here, and on the pages of projects. */
function staleOf(org: string, user: string) {
  return [
    ['users', org, user, 'grants'],
    ['role-holders', org],
  ] as const;
}

/** The roles of a user in projects. */
export function RoleAssignments({ org, user, mayWrite, mayRead }: RoleAssignmentsProperties) {
  const params = { ...inOrganization(org), path: { userId: user } };
  const [{ grant: search, 'grant-state': asked }] = useFilters();
  const state = chosen(asked, STATES);
  const { sorting, sorted } = useSorting(ORDERS, { parameter: 'sort-grants' });
  const pages = usePagesByCursor<Assignment>(
    ['users', org, user, 'grants', { search, state }],
    async (cursor) => {
      const page = { search, sorted, cursor };
      const queries = [...named(search), ...(state === undefined ? [] : [{ stateQuery: { state } }])];
      const body = { query: pageOf(page), queries, ...orderOf<typeof ORDERS.project>(page) };
      return await answered(api.POST('/management/v1/users/{userId}/grants/_search', { params, body }));
    },
    { sorted },
  );
  const isFiltered = (search ?? '') !== '' || state !== undefined;
  return (
    <Section title={t.roles.title} lead={t.roles.lead}>
      {(isFiltered || (pages.rows?.length ?? 0) > FEW) && (
        <Group mb="md" gap="sm">
          <SearchField label={t.roles.search} name="grant" />
          <StateFilter name="grant-state" states={Object.entries(STATES)} />
        </Group>
      )}
      <Paged pages={pages} none={isFiltered ? s.list.nothingFits : t.roles.none}>
        {(assignments) => (
          <Table aria-label={t.roles.title} horizontalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <SortHead sorting={sorting} by="project" label={t.roles.project} />
                <Table.Th>{t.roles.keys}</Table.Th>
                {mayWrite && <Table.Th w={360}>{s.list.actions}</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {assignments.map((assignment) => (
                <Row
                  key={assignment.id}
                  org={org}
                  user={user}
                  assignment={assignment}
                  mayWrite={mayWrite}
                  mayRead={mayRead}
                />
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Paged>
      {mayWrite && <NewAssignment org={org} user={user} />}
    </Section>
  );
}

interface RowProperties extends RoleAssignmentsProperties {
  readonly assignment: Assignment;
}

function Row({ org, user, assignment, mayWrite, mayRead }: RowProperties) {
  const { id, projectId, projectName, roleKeys = [], state, projectGrantId } = assignment;
  const isInactive = state === 'USER_GRANT_STATE_INACTIVE';
  const dialog = useDialogDraft(() => draftOf(assignment));
  // who is led to a fresh sign-in finds it as they left it
  useDraft<RolesDraft>(`role-assignment-${id}`, dialog.draft, dialog.opened, dialog.restore);
  return (
    <Table.Tr>
      <Table.Td>
        {projectGrantId === undefined && mayRead ? (
          <AppLink size="sm" to="/orgs/$org/projects/$project" params={{ org, project: projectId }}>
            {projectName}
          </AppLink>
        ) : (
          projectName
        )}
        {isInactive && (
          <Box mt={2}>
            <State tone="quiet" label={t.roles.states.inactive} />
          </Box>
        )}
      </Table.Td>
      {dialog.opened ? (
        <Table.Td colSpan={2}>
          <Change org={org} user={user} assignment={assignment} dialog={dialog} />
        </Table.Td>
      ) : (
        <>
          <Table.Td>{roleKeys.length === 0 ? t.roles.noKeys : roleKeys.join(', ')}</Table.Td>
          {mayWrite && (
            <Table.Td>
              <Group gap={0}>
                <Button
                  variant="subtle"
                  size="xs"
                  aria-label={say(t.roles.changeOf, { project: projectName })}
                  onClick={dialog.open}
                >
                  {t.roles.change}
                </Button>
                <Activation org={org} user={user} grant={id} project={projectName} isActive={!isInactive} />
                <Removal org={org} user={user} grant={id} project={projectName} />
              </Group>
            </Table.Td>
          )}
        </>
      )}
    </Table.Tr>
  );
}

interface ChangeProperties {
  readonly org: string;
  readonly user: string;
  readonly assignment: Assignment;
  readonly dialog: DialogDraft<RolesDraft>;
}

interface RolesDraft {
  readonly roleKeys: readonly string[];
  /** Of the roles as they were shown: a change of somebody else's since then is not overwritten. */
  readonly sequence?: string | undefined;
}

function draftOf({ roleKeys = [], details }: Assignment): RolesDraft {
  return { roleKeys, sequence: details.sequence };
}

async function findAssignment(org: string, userId: string, grantId: string): Promise<Assignment> {
  const params = { ...inOrganization(org), path: { userId, grantId } };
  return (await answered(api.GET('/management/v1/users/{userId}/grants/{grantId}', { params }))).userGrant;
}

function Change({ org, user, assignment, dialog }: ChangeProperties) {
  const { id, projectId, projectName, projectGrantId: grantId } = assignment;
  const { draft, setDraft } = dialog;
  const { roleKeys } = draft;
  const ofProject = useRoleChoices(org, grantId === undefined ? projectId : undefined);
  const ofGrant = useGrantedRoleChoices(org, grantId === undefined ? undefined : { grantId, projectName });
  const choices = grantId === undefined ? ofProject : ofGrant;
  const change = useAct({
    call: async (sequence: string | undefined) =>
      await answered(
        api.PUT('/management/v1/users/{userId}/grants/{grantId}', {
          params: { ...inOrganization(org, sequence), path: { userId: user, grantId: id } },
          body: { roleKeys: [...roleKeys] },
        }),
      ),
    stale: staleOf(org, user),
    done: t.roles.changed,
    quiet: true,
    onDone: dialog.end,
  });
  const conflict = useConflict({
    save: change,
    draft,
    onDraft: setDraft,
    theirs: async () => draftOf(await findAssignment(org, user, id)),
    onOverwrite: () => change.mutate(undefined),
  });
  return (
    <form
      aria-label={say(t.roles.changeOf, { project: projectName })}
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(draft.sequence);
      }}
    >
      {conflict.notice}
      <Group gap="xs" align="flex-end">
        <MultiSelect
          aria-label={t.roles.keys}
          searchable
          value={[...roleKeys]}
          onChange={(chosen) => setDraft((old) => ({ ...old, roleKeys: chosen }))}
          data={[
            ...choices,
            // before the choices have arrived
            ...roleKeys
              .filter((key) => !choices.some(({ value }) => value === key))
              .map((key) => ({ value: key, label: key })),
          ]}
          w={{ base: '100%', xs: 300 }}
        />
        <Button type="submit" size="xs" loading={change.isPending}>
          {t.roles.save}
        </Button>
        <Button size="xs" variant="default" onClick={dialog.end}>
          {t.roles.cancel}
        </Button>
      </Group>
    </form>
  );
}

interface GivenRolesProperties {
  readonly org: string;
  readonly user: string;
  readonly grant: string;
  readonly project: string;
}

interface ActivationProperties extends GivenRolesProperties {
  readonly isActive: boolean;
}

/** Without effect for a while: which roles they were is kept. */
function Activation({ org, user, grant, project, isActive }: ActivationProperties) {
  const params = { ...inOrganization(org), path: { userId: user, grantId: grant } };
  return (
    <ActivationSwitch
      isActive={isActive}
      isSecondary
      inRow
      name={project}
      title={say(t.roles.deactivateOf, { project })}
      activate={async () =>
        await answered(api.POST('/management/v1/users/{userId}/grants/{grantId}/_reactivate', { params }))
      }
      deactivate={async () =>
        await answered(api.POST('/management/v1/users/{userId}/grants/{grantId}/_deactivate', { params }))
      }
      stale={staleOf(org, user)}
      words={{ act: t.roles, done: t.roles }}
    />
  );
}

function Removal({ org, user, grant, project }: GivenRolesProperties) {
  const remove = useAct({
    call: async () =>
      await answered(
        api.DELETE('/management/v1/users/{userId}/grants/{grantId}', {
          params: { ...inOrganization(org), path: { userId: user, grantId: grant } },
        }),
      ),
    stale: staleOf(org, user),
    done: t.roles.removed,
  });
  return (
    <Confirm
      danger
      variant="subtle"
      size="xs"
      inRow
      label={t.roles.remove}
      title={`${t.roles.remove}: ${project}`}
      text={t.roles.removeText}
      isWorking={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  );
}

interface ProjectChoice {
  /** Of the project, or of the grant where it is another organization's. */
  readonly value: string;
  readonly label: string;
  readonly granted?: { readonly projectId: string; readonly roleKeys: string[] };
}

/** Projects of the organization, and those that others granted it. */
async function findProjectChoices(org: string, search: string): Promise<readonly ProjectChoice[]> {
  const [own, granted] = await Promise.all([
    findProjects(org, { search, limit: 20 }),
    findGrantedProjects(org, { search, limit: 20 }),
  ]);
  return [
    ...(own.result ?? []).map(({ id, name }) => ({ value: id, label: name })),
    ...(granted.result ?? []).map(
      ({ grantId, projectId, projectName, projectOwnerName, grantedRoleKeys = [] }) => ({
        value: grantId,
        label: say(t.roles.grantedBy, { project: projectName, owner: projectOwnerName }),
        granted: { projectId, roleKeys: [...grantedRoleKeys] },
      }),
    ),
  ];
}

interface NewAssignmentDraft {
  readonly project: ProjectChoice | undefined;
  readonly roleKeys: string[];
}

function NewAssignment({ org, user }: { readonly org: string; readonly user: string }) {
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(typed.trim(), 200);
  const [project, setProject] = useState<ProjectChoice>();
  const [roleKeys, setRoleKeys] = useState<string[]>([]);
  const { data: projects = [] } = useQuery({
    queryKey: ['projects', org, 'choose', wanted],
    queryFn: async () => await findProjectChoices(org, wanted),
    refetchInterval: untilThere,
    placeholderData: keepPreviousData,
  });
  const ofProject = useRoleChoices(org, project?.granted === undefined ? project?.value : undefined);
  const choices = project?.granted?.roleKeys ?? ofProject;
  const give = useAct({
    call: async () =>
      await answered(
        api.POST('/management/v1/users/{userId}/grants', {
          params: { ...inOrganization(org), path: { userId: user } },
          body: {
            projectId: project?.granted?.projectId ?? project?.value ?? '',
            ...(project?.granted !== undefined && { projectGrantId: project.value }),
            roleKeys,
          },
        }),
      ),
    stale: staleOf(org, user),
    done: t.roles.given,
    quiet: true,
    onDone: () => {
      setProject(undefined);
      setRoleKeys([]);
      setTyped('');
    },
  });
  useDraft<NewAssignmentDraft>(
    `role-assignment-new-${user}`,
    { project, roleKeys },
    project !== undefined,
    (kept) => {
      setProject(kept.project);
      setRoleKeys(kept.roleKeys);
    },
  );
  const isFound = project === undefined || projects.some(({ value }) => value === project.value);
  const shown = isFound ? projects : [...projects, project];
  return (
    <form
      aria-label={t.roles.add}
      onSubmit={(event) => {
        event.preventDefault();
        if (project !== undefined) give.mutate();
      }}
    >
      <LeaveGuard what={t.roles.add} isDirty={project !== undefined} isSaving={give.isPending} overFilters />
      {give.error && <Failure error={give.error} />}
      <Group align="flex-end" gap="sm" mt="md">
        <Select
          label={t.roles.project}
          placeholder={t.roles.findProject}
          searchable
          clearable
          required
          // what is listed was searched for already
          filter={({ options }) => options}
          searchValue={typed}
          onSearchChange={setTyped}
          value={project?.value ?? null}
          onChange={(value) => {
            setProject(shown.find((choice) => choice.value === value));
            setRoleKeys([]);
          }}
          data={shown.map(({ value, label }) => ({ value, label }))}
          w={{ base: '100%', xs: 260 }}
        />
        <MultiSelect
          label={t.roles.keys}
          searchable
          disabled={project === undefined || choices.length === 0}
          value={roleKeys}
          onChange={setRoleKeys}
          data={choices}
          w={{ base: '100%', xs: 320 }}
        />
        <Button type="submit" variant="default" loading={give.isPending} disabled={project === undefined}>
          {t.roles.submit}
        </Button>
      </Group>
    </form>
  );
}
