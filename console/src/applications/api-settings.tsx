import { Checkbox, Select, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import de from '../../../locales/console/de/applications.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/applications.json';
import shared from '../../../locales/console/en/shared.json';
import { answered, api, type Sent } from '../api/client.ts';
import { words } from '../app/words.ts';
import { Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import { CERTIFICATE_NAMES, type Application, type Where } from './applications.ts';
import { FormPart, FormParts } from './form-parts.tsx';
import { applicationPath, type Part } from './parts.ts';
import { useSaveApplication } from './save-application.ts';
import { UriField } from './uri-field.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

type Body = Sent<'/management/v1/projects/{projectId}/apps/{appId}/api_config', 'put'>;

interface ApiSettingsProperties {
  readonly where: Where;
  readonly app: Application;
  readonly mayWrite: boolean;
  readonly onSecret: (secret: string) => void;
  readonly part: Part;
  /** What stands above the fields. */
  readonly head: (unsaved: ReadonlySet<Part>) => ReactNode;
}

const SIGNS = 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT';
const CERTIFIED = 'API_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH';

// oxlint-disable-next-line typescript/consistent-type-definitions -- forms take records, which an interface is not
type Values = {
  name: string;
  authMethodType: string;
  jwksUri: string;
  assertionAudienceIssuerOnly: boolean;
} & Record<(typeof CERTIFICATE_NAMES)[number], string>;

/** An API signs nobody in: it says who it is when it asks about a token, and no more. */
export function ApiSettings({ where, app, mayWrite, onSecret, part, head }: ApiSettingsProperties) {
  const save = useSaveApplication(where, app, onSecret);
  return (
    <SettingsForm<Values>
      bare
      within={applicationPath(where)}
      name={`application-${app.id}`}
      initial={{
        name: app.name,
        authMethodType: app.apiConfig?.authMethodType ?? 'API_AUTH_METHOD_TYPE_BASIC',
        jwksUri: app.apiConfig?.jwksUri ?? '',
        assertionAudienceIssuerOnly: app.apiConfig?.assertionAudienceIssuerOnly === true,
        tlsClientAuthSubjectDn: app.apiConfig?.tlsClientAuthSubjectDn ?? '',
        tlsClientAuthSanDns: app.apiConfig?.tlsClientAuthSanDns ?? '',
        tlsClientAuthSanUri: app.apiConfig?.tlsClientAuthSanUri ?? '',
        tlsClientAuthSanIp: app.apiConfig?.tlsClientAuthSanIp ?? '',
        tlsClientAuthSanEmail: app.apiConfig?.tlsClientAuthSanEmail ?? '',
      }}
      sequence={app.details.sequence}
      save={async ({ name, jwksUri, ...config }, sequence) =>
        await save(
          name,
          sequence,
          async (params) =>
            await answered(
              api.PUT('/management/v1/projects/{projectId}/apps/{appId}/api_config', {
                params,
                // of no use to another method, and refused with it
                body: { ...config, jwksUri: config.authMethodType === SIGNS ? jwksUri.trim() : '' } as Body,
              }),
            ),
        )
      }
      stale={[['applications', where.org, where.project]]}
      done={s.form.saved}
    >
      {(form) => (
        <>
          {head(new Set(form.isDirty() ? [''] : []))}
          <FormParts where={where} at={part}>
            <FormPart part="" at={part}>
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
                      { value: SIGNS, label: t.methods.privateKey },
                      { value: CERTIFIED, label: t.methods.certificate },
                      {
                        value: 'API_AUTH_METHOD_TYPE_SELF_SIGNED_TLS_CLIENT_AUTH',
                        label: t.methods.selfSigned,
                      },
                    ]}
                    allowDeselect={false}
                    disabled={!mayWrite}
                    {...form.getInputProps('authMethodType')}
                  />
                  {form.values.authMethodType === SIGNS && (
                    <UriField
                      label={t.fields.jwksUri}
                      description={t.help.jwksUri}
                      readOnly={!mayWrite}
                      {...form.getInputProps('jwksUri')}
                    />
                  )}
                  {form.values.authMethodType === CERTIFIED &&
                    CERTIFICATE_NAMES.map((field) => (
                      <TextInput
                        key={field}
                        label={t.fields[field]}
                        description={t.help[field]}
                        readOnly={!mayWrite}
                        {...form.getInputProps(field)}
                      />
                    ))}
                  <Checkbox
                    label={t.fields.assertionAudienceIssuerOnly}
                    description={t.help.assertionAudienceIssuerOnly}
                    disabled={!mayWrite}
                    {...form.getInputProps('assertionAudienceIssuerOnly', { type: 'checkbox' })}
                  />
                </Stack>
              </Section>
            </FormPart>
          </FormParts>
        </>
      )}
    </SettingsForm>
  );
}
