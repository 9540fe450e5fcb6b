import { Button, Group, MultiSelect, Text } from '@mantine/core';
import de from '../../../locales/console/de/projects.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/projects.json';
import shared from '../../../locales/console/en/shared.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { useMayInInstance } from '../app/permissions.ts';
import { say, since, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { ActivationSwitch } from '../shared/activation-switch.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { useConflict } from '../shared/conflict.tsx';
import { useDraft } from '../shared/draft.ts';
import { useFilters } from '../shared/filters-in-address.ts';
import { FormDialog, useDialogDraft } from '../shared/form-dialog.tsx';
import { AppLink } from '../shared/links.tsx';
import { EmptyList, List, SearchField, StateFilter, type Column } from '../shared/list.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { Section } from '../shared/section.tsx';
import { useSorting } from '../shared/sorting.tsx';
import { State } from '../shared/state.tsx';
import { namedOrganization, OrganizationChoice } from './organization-choice.tsx';
import { findGrant, findGrants, GRANT_ORDERS, GRANT_STATES, type ProjectGrant } from './projects.ts';
import { useRoleChoices } from './role-choices.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

/** So many are found without filters. */
const FEW = 5;

interface ProjectProperties {
  readonly org: string;
  readonly project: string;
}

interface GrantProperties extends ProjectProperties {
  readonly grant: ProjectGrant;
}

function grantsKey({ org, project }: ProjectProperties): readonly string[] {
  return ['projects', org, project, 'grants'];
}

/** The organizations that may use a project, and the roles that they may give to their own users. */
export function ProjectGrants({
  org,
  project,
  mayWrite,
}: ProjectProperties & { readonly mayWrite: boolean }) {
  const [{ grant: search, 'grant-state': state }] = useFilters();
  const { sorting, sorted } = useSorting(GRANT_ORDERS, { parameter: 'sort-grants', oldestFirst: true });
  const pages = usePagesByCursor(
    [...grantsKey({ org, project }), { search, state }],
    async (cursor) => await findGrants(org, project, { search, state, sorted, cursor }),
    { sorted },
  );
  const isFiltered = (search ?? '') !== '' || (state ?? '') !== '';
  const seesAll = useMayInInstance()('iam.read');
  const columns: readonly Column<ProjectGrant>[] = [
    {
      label: t.grants.organization,
      sort: 'organization',
      cell: (grant) => <Organization grant={grant} seesAll={seesAll} />,
    },
    { label: s.list.state, cell: ({ state }) => <State {...GRANT_STATES[state]} />, width: 130 },
    {
      label: t.grants.roles,
      cell: ({ grantedRoleKeys = [] }) =>
        grantedRoleKeys.length === 0 ? t.grants.noRoles : grantedRoleKeys.join(', '),
    },
    { label: s.list.changed, cell: ({ details }) => since(details.changeDate), wide: true, width: 150 },
    ...(mayWrite
      ? [
          {
            label: s.list.actions,
            width: 340,
            cell: (grant: ProjectGrant) => <GrantActions org={org} project={project} grant={grant} />,
          },
        ]
      : []),
  ];
  return (
    <Section
      title={t.grants.title}
      lead={t.grants.lead}
      action={mayWrite && <GrantDialog org={org} project={project} />}
    >
      {(isFiltered || (pages.rows?.length ?? 0) > FEW) && (
        <Group mb="md" gap="sm">
          <SearchField label={t.grants.search} name="grant" />
          <StateFilter
            name="grant-state"
            states={Object.entries(GRANT_STATES).map(([value, { label }]) => [value, label])}
          />
        </Group>
      )}
      <List
        label={t.grants.title}
        columns={columns}
        {...pages}
        sorting={sorting}
        keyOf={({ grantId }) => grantId}
        empty={
          <EmptyList filters={['grant', 'grant-state']} title={t.grants.none} text={t.grants.noneText} />
        }
      />
    </Section>
  );
}

interface OrganizationProperties {
  readonly grant: ProjectGrant;
  readonly seesAll: boolean;
}

/** By its name; it leads those to its page who may look at it. */
function Organization({
  grant: { grantedOrgId: id, grantedOrgName: name },
  seesAll,
}: OrganizationProperties) {
  return (
    <>
      {seesAll ? (
        <AppLink size="sm" to="/orgs/$org" params={{ org: id }}>
          {name}
        </AppLink>
      ) : (
        <Text size="sm">{name}</Text>
      )}
      <Text size="xs" ff="monospace" c="dimmed">
        {id}
      </Text>
    </>
  );
}

/** Rests or works; nothing of what was given by it is lost. */
function Activation({ org, project, grant }: GrantProperties) {
  const params = { ...inOrganization(org), path: { projectId: project, grantId: grant.grantId } };
  return (
    <ActivationSwitch
      isActive={grant.state !== 'PROJECT_GRANT_STATE_INACTIVE'}
      isSecondary
      inRow
      name={grant.grantedOrgName}
      title={say(t.grants.deactivateOf, { organization: grant.grantedOrgName })}
      activate={async () =>
        await answered(
          api.POST('/management/v1/projects/{projectId}/grants/{grantId}/_reactivate', { params }),
        )
      }
      deactivate={async () =>
        await answered(
          api.POST('/management/v1/projects/{projectId}/grants/{grantId}/_deactivate', { params }),
        )
      }
      stale={[grantsKey({ org, project })]}
      words={{ act: t.grants, done: t.grants }}
    />
  );
}

function GrantActions({ org, project, grant }: GrantProperties) {
  const organization = grant.grantedOrgName;
  const remove = useAct({
    call: async () =>
      await answered(
        api.DELETE('/management/v1/projects/{projectId}/grants/{grantId}', {
          params: { ...inOrganization(org), path: { projectId: project, grantId: grant.grantId } },
        }),
      ),
    stale: [grantsKey({ org, project })],
    done: t.grants.removed,
  });
  return (
    <Group gap="xs">
      <GrantDialog org={org} project={project} grant={grant} />
      <Activation org={org} project={project} grant={grant} />
      <Confirm
        danger
        variant="subtle"
        size="xs"
        inRow
        label={t.grants.remove}
        title={say(t.grants.removeOf, { organization })}
        text={t.grants.removeText}
        isWorking={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </Group>
  );
}

interface GrantDialogProperties extends ProjectProperties {
  /** Whose roles are changed; without one the project is granted anew. */
  readonly grant?: ProjectGrant;
}

interface GrantDraft {
  readonly organization: string;
  readonly roleKeys: readonly string[];
  /** Of the grant as it was shown: a change of somebody else's since then is not overwritten. */
  readonly sequence?: string | undefined;
}

function draftOf(grant: ProjectGrant | undefined): GrantDraft {
  return {
    organization: '',
    roleKeys: grant?.grantedRoleKeys ?? [],
    ...(grant !== undefined && { sequence: grant.details.sequence }),
  };
}

function GrantDialog({ org, project, grant }: GrantDialogProperties) {
  const dialog = useDialogDraft<GrantDraft>(() => draftOf(grant));
  const { opened, draft, setDraft } = dialog;
  const choices = useRoleChoices(org, opened ? project : undefined);
  const title =
    grant === undefined ? t.grants.add : say(t.grants.changeOf, { organization: grant.grantedOrgName });
  const stale = [grantsKey({ org, project })];
  const save = useAct({
    call: async (sequence: string | undefined) => {
      const roleKeys = [...draft.roleKeys];
      if (grant === undefined) {
        await answered(
          api.POST('/management/v1/projects/{projectId}/grants', {
            params: { ...inOrganization(org), path: { projectId: project } },
            body: { ...namedOrganization(draft.organization), roleKeys },
          }),
        );
      } else {
        await answered(
          api.PUT('/management/v1/projects/{projectId}/grants/{grantId}', {
            params: {
              ...inOrganization(org, sequence),
              path: { projectId: project, grantId: grant.grantId },
            },
            body: { roleKeys },
          }),
        );
      }
    },
    stale,
    done: grant === undefined ? t.grants.granted : t.grants.changed,
    quiet: true,
    onDone: dialog.end,
  });
  // who is led to a fresh sign-in finds the dialog as they left it
  useDraft<GrantDraft>(`project-grant-${grant?.grantId ?? `new-${project}`}`, draft, opened, dialog.restore);
  const conflict = useConflict({
    save,
    draft,
    onDraft: setDraft,
    theirs: async () => draftOf(await findGrant(org, project, grant?.grantId ?? '')),
    onOverwrite: () => save.mutate(undefined),
  });
  function start(): void {
    if (!dialog.isDirty) conflict.begin();
    dialog.open();
  }
  const unknown = draft.roleKeys.filter((key) => !choices.some(({ value }) => value === key));
  const mayGo = grant !== undefined || draft.organization !== '';
  return (
    <>
      <Button
        size={grant === undefined ? 'sm' : 'xs'}
        variant={grant === undefined ? 'default' : 'subtle'}
        {...(grant !== undefined && { 'aria-label': `${t.grants.change}: ${grant.grantedOrgName}` })}
        onClick={start}
      >
        {grant === undefined ? t.grants.add : t.grants.change}
      </Button>
      <FormDialog
        title={title}
        opened={opened}
        isDirty={dialog.isDirty}
        onClose={dialog.close}
        onDiscard={dialog.end}
        notice={conflict.notice}
        onSubmit={(event) => {
          event.preventDefault();
          if (mayGo) save.mutate(draft.sequence);
        }}
        submit={grant === undefined ? t.grants.submit : s.form.save}
        isWorking={save.isPending}
        mayGo={mayGo}
      >
        {grant === undefined ? (
          <OrganizationChoice
            except={org}
            value={draft.organization}
            onChange={(organization) => setDraft((old) => ({ ...old, organization }))}
          />
        ) : (
          <Text size="sm">{t.grants.changeText}</Text>
        )}
        <MultiSelect
          label={t.grants.roles}
          searchable
          value={[...draft.roleKeys]}
          onChange={(roleKeys) => setDraft((old) => ({ ...old, roleKeys }))}
          // before the choices have arrived
          data={[...choices, ...unknown.map((key) => ({ value: key, label: key }))]}
        />
      </FormDialog>
    </>
  );
}
