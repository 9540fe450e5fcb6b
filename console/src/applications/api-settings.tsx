import { Checkbox, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import de from '../../../locales/console/de/applications.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/applications.json';
import shared from '../../../locales/console/en/shared.json';
import { answered, api, type Sent } from '../api/client.ts';
import { words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { useDraft } from '../shared/draft.ts';
import { SaveBar } from '../shared/save-bar.tsx';
import { Section } from '../shared/section.tsx';
import { applicationParams, type Application, type Where } from './applications.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

type Body = Sent<'/management/v1/projects/{projectId}/apps/{appId}/api_config', 'put'>;

interface ApiSettingsProperties {
  readonly where: Where;
  readonly app: Application;
  readonly mayWrite: boolean;
  readonly onSecret: (secret: string) => void;
}

/** An API signs nobody in: it says who it is when it asks about a token, and no more. */
export function ApiSettings({ where, app, mayWrite, onSecret }: ApiSettingsProperties) {
  const initialValues = {
    name: app.name,
    authMethodType: app.apiConfig?.authMethodType ?? 'API_AUTH_METHOD_TYPE_BASIC',
    assertionAudienceIssuerOnly: app.apiConfig?.assertionAudienceIssuerOnly === true,
  };
  const form = useForm({ mode: 'controlled', initialValues });
  useDraft(`application-${app.id}`, form.values, form.isDirty(), form.setValues);
  const save = useAct({
    call: async (values: typeof initialValues) => {
      const params = applicationParams(where);
      const { name, ...config } = values;
      if (name.trim() !== app.name) {
        await answered(
          api.PUT('/management/v1/projects/{projectId}/apps/{appId}', {
            params,
            body: { name: name.trim() },
          }),
        );
      }
      const { clientSecret } = await answered(
        api.PUT('/management/v1/projects/{projectId}/apps/{appId}/api_config', {
          params,
          body: config as Body,
        }),
      );
      return { values, clientSecret };
    },
    stale: [['applications', where.org, where.project]],
    done: s.form.saved,
    quiet: true,
    onDone: ({ values, clientSecret }) => {
      form.setInitialValues(values);
      form.resetDirty(values);
      if (clientSecret === undefined) return;
      onSecret(clientSecret);
      scrollTo({ top: 0 });
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Section title={t.sections.basics}>
        <Stack maw={640}>
          <TextInput
            label={t.fields.name}
            required
            maxLength={200}
            readOnly={!mayWrite}
            {...form.getInputProps('name')}
          />
          <Select
            label={t.fields.authMethodType}
            description={t.help.apiAuthMethodType}
            data={[
              { value: 'API_AUTH_METHOD_TYPE_BASIC', label: t.methods.basic },
              { value: 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT', label: t.methods.privateKey },
            ]}
            allowDeselect={false}
            disabled={!mayWrite}
            {...form.getInputProps('authMethodType')}
          />
          <Checkbox
            label={t.fields.assertionAudienceIssuerOnly}
            description={t.help.assertionAudienceIssuerOnly}
            disabled={!mayWrite}
            {...form.getInputProps('assertionAudienceIssuerOnly', { type: 'checkbox' })}
          />
        </Stack>
      </Section>
      <SaveBar
        isDirty={form.isDirty()}
        isSaving={save.isPending}
        error={save.error}
        onDiscard={() => form.reset()}
      />
    </form>
  );
}
