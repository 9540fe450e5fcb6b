import { Button, Group, Modal, MultiSelect, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import de from '../../../locales/console/de/projects.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/projects.json';
import shared from '../../../locales/console/en/shared.json';
import { answered, api, inOrganization, Refused } from '../api/client.ts';
import { say, since, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Conflict, KeptInput } from '../shared/conflict.tsx';
import { useDraft } from '../shared/draft.ts';
import { Failure } from '../shared/failure.tsx';
import { AppLink } from '../shared/links.tsx';
import { Empty, List, type Column } from '../shared/list.tsx';
import { usePagesByOffset } from '../shared/pages.ts';
import { Section } from '../shared/section.tsx';
import { OrganizationChoice, useOrganizationName } from './organization-choice.tsx';
import { findGrant, findGrants, type ProjectGrant } from './projects.ts';
import { useRoleChoices } from './role-choices.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

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
  const pages = usePagesByOffset(
    grantsKey({ org, project }),
    async (page) => await findGrants(org, project, page),
  );
  const columns: readonly Column<ProjectGrant>[] = [
    { label: t.grants.organization, cell: ({ grantedOrgId }) => <Organization id={grantedOrgId} /> },
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
            width: 260,
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
      <List
        label={t.grants.title}
        columns={columns}
        {...pages}
        keyOf={({ grantId }) => grantId}
        empty={<Empty title={t.grants.none} text={t.grants.noneText} />}
      />
    </Section>
  );
}

/** By its name for those who may look at it; others know its id. */
function Organization({ id }: { readonly id: string }) {
  const name = useOrganizationName(id);
  return (
    <>
      {name !== undefined && (
        <AppLink size="sm" to="/orgs/$org" params={{ org: id }}>
          {name}
        </AppLink>
      )}
      <Text size="xs" ff="monospace" {...(name !== undefined && { c: 'dimmed' })}>
        {id}
      </Text>
    </>
  );
}

function GrantActions({ org, project, grant }: GrantProperties) {
  const organization = useOrganizationName(grant.grantedOrgId) ?? grant.grantedOrgId;
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
      <Confirm
        danger
        size="xs"
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
  readonly sequence?: string;
}

function draftOf(grant: ProjectGrant | undefined): GrantDraft {
  return {
    organization: '',
    roleKeys: grant?.grantedRoleKeys ?? [],
    ...(grant !== undefined && { sequence: grant.details.sequence }),
  };
}

function GrantDialog({ org, project, grant }: GrantDialogProperties) {
  const [opened, { open, close }] = useDisclosure(false);
  const [draft, setDraft] = useState<GrantDraft>({ organization: '', roleKeys: [] });
  const choices = useRoleChoices(org, opened ? project : undefined);
  // set aside while another one's change is shown
  const [mine, setMine] = useState<GrantDraft>();
  const name = useOrganizationName(grant?.grantedOrgId ?? '') ?? grant?.grantedOrgId ?? '';
  const title = grant === undefined ? t.grants.add : say(t.grants.changeOf, { organization: name });
  const stale = [grantsKey({ org, project })];
  const save = useAct({
    call: async (sequence: string | undefined) => {
      const roleKeys = [...draft.roleKeys];
      if (grant === undefined) {
        await answered(
          api.POST('/management/v1/projects/{projectId}/grants', {
            params: { ...inOrganization(org), path: { projectId: project } },
            body: { grantedOrgId: draft.organization, roleKeys },
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
    onDone: close,
  });
  // who is led to a fresh sign-in finds the dialog as they left it
  useDraft<GrantDraft>(`project-grant-${grant?.grantId ?? `new-${project}`}`, draft, opened, (kept) => {
    setDraft(kept);
    open();
  });
  function start(): void {
    save.reset();
    setMine(undefined);
    setDraft(draftOf(grant));
    open();
  }
  const theirs = useAct({
    call: async () => await findGrant(org, project, grant?.grantId ?? ''),
    stale,
    onDone: (found) => {
      save.reset();
      setMine(draft);
      setDraft(draftOf(found));
    },
  });
  const isConflict = save.error instanceof Refused && save.error.status === 412;
  const unknown = draft.roleKeys.filter((key) => !choices.some(({ value }) => value === key));
  const mayGo = grant !== undefined || draft.organization !== '';
  return (
    <>
      <Button size={grant === undefined ? 'sm' : 'xs'} variant="default" onClick={start}>
        {grant === undefined ? t.grants.add : t.grants.change}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={title}
        closeButtonProps={{ 'aria-label': s.confirm.close }}
      >
        {isConflict && (
          <Conflict onTheirs={() => theirs.mutate()} onOverwrite={() => save.mutate(undefined)} />
        )}
        {mine !== undefined && (
          <KeptInput
            onShow={() => {
              setDraft((old) => ({ ...old, roleKeys: mine.roleKeys }));
              setMine(undefined);
            }}
            onDiscard={() => setMine(undefined)}
          />
        )}
        {save.error && !isConflict && <Failure error={save.error} />}
        <form
          aria-label={title}
          onSubmit={(event) => {
            event.preventDefault();
            if (mayGo) save.mutate(draft.sequence);
          }}
        >
          <Stack>
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
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {s.form.cancel}
              </Button>
              <Button type="submit" loading={save.isPending} disabled={!mayGo}>
                {grant === undefined ? t.grants.submit : s.form.save}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
