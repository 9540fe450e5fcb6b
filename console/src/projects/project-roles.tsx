import { Box, Button, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/projects.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/projects.json';
import shared from '../../../locales/console/en/shared.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { useMay } from '../app/permissions.ts';
import { numberOf, say, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { useConflict } from '../shared/conflict.tsx';
import { useDraft } from '../shared/draft.ts';
import { Failure } from '../shared/failure.tsx';
import { useFilters } from '../shared/filters-in-address.ts';
import { FormDialog, useDialogDraft } from '../shared/form-dialog.tsx';
import { Found } from '../shared/found.tsx';
import { LeaveGuard } from '../shared/leave-guard.tsx';
import { SearchField } from '../shared/list.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { Paged } from '../shared/more.tsx';
import { usePagesByCursor } from '../shared/pages.ts';
import { Section } from '../shared/section.tsx';
import { SortHead, useSorting } from '../shared/sorting.tsx';
import { HoldersCount } from './holders-count.tsx';
import { findGrants, findRole, findRoles, ROLE_ORDERS, type ProjectGrant, type Role } from './projects.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

/** So many are found without a search. */
const FEW = 10;

interface RolesProperties {
  readonly org: string;
  readonly project: string;
  readonly mayWrite: boolean;
}

/** The roles that users can be given in a project. */
export function ProjectRoles({ org, project, mayWrite }: RolesProperties) {
  const [{ role: search }] = useFilters();
  const { sorting, sorted } = useSorting(ROLE_ORDERS, { parameter: 'sort-roles', oldestFirst: true });
  const pages = usePagesByCursor<Role>(
    ['projects', org, project, 'roles', { search }],
    async (cursor) => await findRoles(org, project, { search, sorted, cursor }),
    { sorted },
  );
  const isFiltered = (search ?? '') !== '';
  return (
    <Section title={t.roles.title} lead={t.roles.lead}>
      {(isFiltered || (pages.rows?.length ?? 0) > FEW) && (
        <Box mb="md">
          <SearchField label={t.roles.search} name="role" />
        </Box>
      )}
      <Paged pages={pages} none={isFiltered ? s.list.nothingFits : t.roles.none} step={5}>
        {(roles) => (
          <Table aria-label={t.roles.title}>
            <Table.Thead>
              <Table.Tr>
                <SortHead sorting={sorting} by="key" label={t.roles.key} />
                <Table.Th visibleFrom="xs">{t.roles.displayName}</Table.Th>
                <Table.Th visibleFrom="sm">{t.roles.group}</Table.Th>
                {mayWrite && <Table.Th w={220}>{s.list.actions}</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {roles.map((role) => (
                <Table.Tr key={role.key}>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>
                    <Text span inherit ff="monospace">
                      {role.key}
                    </Text>
                    <Text size="xs" c="dimmed" hiddenFrom="xs">
                      {role.displayName}
                    </Text>
                  </Table.Td>
                  <Table.Td visibleFrom="xs">{role.displayName}</Table.Td>
                  <Table.Td visibleFrom="sm">{role.group}</Table.Td>
                  {mayWrite && (
                    <Table.Td>
                      <Group gap="xs">
                        <Change org={org} project={project} role={role} />
                        <Removal org={org} project={project} role={role} />
                      </Group>
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Paged>
      {mayWrite && <NewRole org={org} project={project} />}
    </Section>
  );
}

interface RoleProperties {
  readonly org: string;
  readonly project: string;
  readonly role: Role;
}

interface RoleDraft {
  readonly displayName: string;
  readonly group: string;
  /** Of the role as it was shown: a change of somebody else's since then is not overwritten. */
  readonly sequence: string;
}

function draftOf({ displayName, group = '', details }: Role): RoleDraft {
  return { displayName, group, sequence: details.sequence };
}

/** How a role is called and where it is listed; its key stays, since applications read it. */
function Change({ org, project, role }: RoleProperties) {
  const dialog = useDialogDraft(() => draftOf(role));
  const { opened, draft, setDraft } = dialog;
  const save = useAct({
    call: async (sequence: string | undefined) =>
      await answered(
        api.PUT('/management/v1/projects/{projectId}/roles/{roleKey}', {
          params: { ...inOrganization(org, sequence), path: { projectId: project, roleKey: role.key } },
          body: {
            displayName: draft.displayName.trim() === '' ? role.key : draft.displayName.trim(),
            ...(draft.group.trim() !== '' && { group: draft.group.trim() }),
          },
        }),
      ),
    stale: [['projects', org, project, 'roles']],
    done: t.roles.changed,
    quiet: true,
    onDone: dialog.end,
  });
  useDraft<RoleDraft>(`project-role-${project}-${role.key}`, draft, opened, dialog.restore);
  const conflict = useConflict({
    save,
    draft,
    onDraft: setDraft,
    theirs: async () => draftOf(await findRole(org, project, role.key)),
    onOverwrite: () => save.mutate(undefined),
  });
  function start(): void {
    if (!dialog.isDirty) conflict.begin();
    dialog.open();
  }
  return (
    <>
      <Button size="xs" variant="subtle" onClick={start} aria-label={`${t.roles.change}: ${role.key}`}>
        {t.roles.change}
      </Button>
      <FormDialog
        title={say(t.roles.changeOf, { role: role.key })}
        opened={opened}
        isDirty={dialog.isDirty}
        onClose={dialog.close}
        onDiscard={dialog.end}
        notice={conflict.notice}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(draft.sequence);
        }}
        submit={s.form.save}
        isWorking={save.isPending}
      >
        <TextInput
          label={t.roles.displayName}
          autoComplete="off"
          value={draft.displayName}
          onChange={({ currentTarget: { value } }) => setDraft((old) => ({ ...old, displayName: value }))}
        />
        <TextInput
          label={t.roles.group}
          autoComplete="off"
          value={draft.group}
          onChange={({ currentTarget: { value } }) => setDraft((old) => ({ ...old, group: value }))}
        />
      </FormDialog>
    </>
  );
}

function Removal({ org, project, role }: RoleProperties) {
  const remove = useAct({
    call: async () =>
      await answered(
        api.DELETE('/management/v1/projects/{projectId}/roles/{roleKey}', {
          params: { ...inOrganization(org), path: { projectId: project, roleKey: role.key } },
        }),
      ),
    // grants and users have lost it as well
    stale: [
      ['projects', org, project],
      ['users', org],
      ['role-holders', org, project],
    ],
    done: say(t.roles.removed, { role: role.key }),
  });
  return (
    <Confirm
      danger
      variant="subtle"
      size="xs"
      inRow
      label={t.roles.remove}
      title={`${t.roles.remove}: ${role.key}`}
      text={<Reach org={org} project={project} role={role} />}
      word={role.key}
      isWorking={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  );
}

/** So many grants are looked through. */
const MOST_GRANTS = 500;

/** How many lose it here, and who else: the organizations whose grants of the project contain it. What could not be read is said: it is not nobody. */
function Reach({ org, project, role }: RoleProperties) {
  const may = useMay(org);
  const found = useQuery({
    queryKey: ['projects', org, project, 'grants', 'all'],
    queryFn: async () => await findGrants(org, project, { limit: MOST_GRANTS }),
  });
  return (
    <Stack gap="xs">
      <Text>{t.roles.removeText}</Text>
      {may('user.grant.read') && <HoldersCount org={org} project={project} role={role.key} />}
      <Found found={found} loading={<LoadingRows rows={1} />}>
        {({ result = [], nextCursor }) => (
          <GrantedTo role={role} grants={result} isWhole={nextCursor === undefined} />
        )}
      </Found>
    </Stack>
  );
}

interface GrantedToProperties {
  readonly role: Role;
  readonly grants: readonly ProjectGrant[];
  /** Whether these are all grants of the project. */
  readonly isWhole: boolean;
}

function GrantedTo({ role, grants, isWhole }: GrantedToProperties) {
  const granted = grants.filter(({ grantedRoleKeys = [] }) => grantedRoleKeys.includes(role.key));
  const organizations = granted.map(({ grantedOrgName }) => grantedOrgName).join(', ');
  return (
    <>
      {granted.length > 0 && <Text>{say(t.roles.grantedTo, { count: granted.length, organizations })}</Text>}
      {!isWhole && <Text>{say(t.roles.grantsLeft, { looked: numberOf(grants.length) })}</Text>}
    </>
  );
}

const NOTHING = { roleKey: '', displayName: '', group: '' };

function NewRole({ org, project }: { readonly org: string; readonly project: string }) {
  const form = useForm({ mode: 'controlled', initialValues: NOTHING });
  const add = useAct({
    call: async ({ roleKey, displayName, group }: typeof NOTHING) =>
      await answered(
        api.POST('/management/v1/projects/{projectId}/roles', {
          params: { ...inOrganization(org), path: { projectId: project } },
          body: {
            roleKey: roleKey.trim(),
            displayName: displayName.trim() === '' ? roleKey.trim() : displayName.trim(),
            ...(group.trim() !== '' && { group: group.trim() }),
          },
        }),
      ),
    stale: [['projects', org, project, 'roles']],
    done: t.roles.added,
    quiet: true,
    onDone: () => form.reset(),
  });
  useDraft(`project-role-new-${project}`, form.values, form.isDirty(), form.setValues);
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))} aria-label={t.roles.add}>
      <LeaveGuard what={t.roles.add} isDirty={form.isDirty()} isSaving={add.isPending} overFilters />
      {add.error && <Failure error={add.error} />}
      <Group align="flex-end" gap="sm" mt="md">
        <TextInput
          label={t.roles.key}
          placeholder="editor"
          required
          autoComplete="off"
          w={{ base: '100%', xs: 200 }}
          {...form.getInputProps('roleKey')}
        />
        <TextInput
          label={t.roles.displayName}
          autoComplete="off"
          w={{ base: '100%', xs: 220 }}
          {...form.getInputProps('displayName')}
        />
        <TextInput
          label={t.roles.group}
          autoComplete="off"
          w={{ base: '100%', xs: 180 }}
          {...form.getInputProps('group')}
        />
        <Button type="submit" variant="default" loading={add.isPending}>
          {t.roles.add}
        </Button>
      </Group>
    </form>
  );
}
