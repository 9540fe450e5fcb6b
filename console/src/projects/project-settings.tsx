import { Checkbox, Select, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import de from '../../../locales/console/de/projects.json';
import en from '../../../locales/console/en/projects.json';
import type { Sent } from '../api/client.ts';
import { words } from '../app/words.ts';
import { NarrowFold } from '../shared/fold.tsx';
import type { Project } from './projects.ts';

const t = words({ en, de });

type Body = Sent<'/management/v1/projects/{projectId}', 'put'>;
type Labeling = NonNullable<Body['privateLabelingSetting']>;

const LABELING = {
  PRIVATE_LABELING_SETTING_UNSPECIFIED: t.labeling.unspecified,
  PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY: t.labeling.project,
  PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY: t.labeling.user,
} as const satisfies Record<Labeling, string>;

// oxlint-disable-next-line typescript/consistent-type-definitions -- forms take records, which an interface is not
export type ProjectValues = {
  name: string;
  projectRoleAssertion: boolean;
  projectRoleCheck: boolean;
  hasProjectCheck: boolean;
  privateLabelingSetting: string;
  resourceUri: string;
  openResource: boolean;
};

export function valuesOf(project?: Project): ProjectValues {
  return {
    name: project?.name ?? '',
    projectRoleAssertion: project?.projectRoleAssertion === true,
    projectRoleCheck: project?.projectRoleCheck === true,
    hasProjectCheck: project?.hasProjectCheck === true,
    privateLabelingSetting: project?.privateLabelingSetting ?? 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
    resourceUri: project?.resourceUri ?? '',
    openResource: project?.openResource === true,
  };
}

export function bodyOf(values: ProjectValues): Body {
  return {
    ...values,
    name: values.name.trim(),
    privateLabelingSetting: values.privateLabelingSetting as Labeling,
    resourceUri: values.resourceUri.trim(),
    // without an address nobody could ask for it
    openResource: values.openResource && values.resourceUri.trim() !== '',
  };
}

type Flag = 'projectRoleAssertion' | 'projectRoleCheck' | 'hasProjectCheck' | 'openResource';

interface ProjectFieldsProperties {
  readonly form: UseFormReturnType<ProjectValues>;
  readonly isReadOnly?: boolean;
  /** The service's own, whose sign-ins are not restricted. */
  readonly isOwn?: boolean;
}

/** What can be said of a project, the same for a new one and an old one. */
export function ProjectFields({ form, isReadOnly = false, isOwn = false }: ProjectFieldsProperties) {
  const flag = (field: Flag, isLocked = false) => (
    <Checkbox
      label={t.settings[field]}
      description={t.settings[`${field}Help`]}
      disabled={isReadOnly || (isLocked && !form.getInitialValues()[field])}
      {...form.getInputProps(field, { type: 'checkbox' })}
    />
  );
  return (
    <Stack maw={560}>
      <TextInput
        label={t.settings.name}
        description={t.settings.nameHelp}
        required
        maxLength={200}
        readOnly={isReadOnly}
        {...form.getInputProps('name')}
      />
      {flag('projectRoleAssertion')}
      {flag('projectRoleCheck', isOwn)}
      {flag('hasProjectCheck', isOwn)}
      <NarrowFold plain {...t.settings.more}>
        <Select
          label={t.settings.privateLabelingSetting}
          description={t.settings.privateLabelingSettingHelp}
          data={Object.entries(LABELING).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          disabled={isReadOnly}
          {...form.getInputProps('privateLabelingSetting')}
        />
        <TextInput
          label={t.settings.resourceUri}
          description={t.settings.resourceUriHelp}
          maxLength={500}
          readOnly={isReadOnly}
          {...form.getInputProps('resourceUri')}
        />
        {flag('openResource')}
      </NarrowFold>
    </Stack>
  );
}
