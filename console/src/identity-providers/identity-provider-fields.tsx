import { Button, FileButton, JsonInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import directoriesDe from '../../../locales/console/de/directories.json';
import de from '../../../locales/console/de/identity-providers.json';
import directories from '../../../locales/console/en/directories.json';
import en from '../../../locales/console/en/identity-providers.json';
import { words } from '../app/words.ts';
import { DirectoryFields } from '../directories/directory-fields.tsx';
import { NumberField, ToggleField } from '../shared/fields.tsx';
import { Fold } from '../shared/fold.tsx';
import { SecretInput, useLostNotice } from '../shared/secret-input.tsx';
import {
  choosesAuthentication,
  hasClient,
  KINDS,
  ownTextsOf,
  signsOut,
  type ProviderValues,
} from './identity-providers.ts';

const t = words({ en, de });
const d = words({ en: directories, de: directoriesDe });

/** How messages of SAML are protected. */
const SAML_PROTECTION = ['signRequests', 'wantAssertionsSigned', 'wantAssertionsEncrypted'] as const;
const SWITCHES = ['allowCreation', 'allowLinking', 'updateOnSignIn'] as const;

interface FieldsProperties {
  readonly form: UseFormReturnType<ProviderValues>;
  /** One that is there keeps its kind, and its secret unless another is given. */
  readonly isNew: boolean;
  /** Only an organization has domains. */
  readonly ofOrganization: boolean;
  readonly isReadOnly?: boolean;
}

/** The fields of a provider: those of all kinds, and those of its own. */
export function IdentityProviderFields({
  form,
  isNew,
  ofOrganization,
  isReadOnly = false,
}: FieldsProperties) {
  const { kind, clientAuthentication } = form.getValues();
  const field = (name: keyof ProviderValues) => ({ ...form.getInputProps(name), readOnly: isReadOnly });
  const hasSecret = hasClient(kind) && (!choosesAuthentication(kind) || clientAuthentication !== 'none');
  const toggle = (
    name:
      (typeof SWITCHES | typeof SAML_PROTECTION)[number] | 'trustEmail' | 'signOutAtProvider' | 'homeRealm',
  ) => (
    <ToggleField
      key={name}
      label={t.fields[name]}
      help={t.help[name]}
      isReadOnly={isReadOnly}
      {...form.getInputProps(name, { type: 'checkbox' })}
    />
  );
  const lost = useLostNotice();
  const secretHelp = isNew ? t.fields.secretHelp : t.fields.secretKept;
  return (
    <Stack>
      {isNew && (
        <Select
          label={t.fields.kind}
          allowDeselect={false}
          data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
          {...form.getInputProps('kind')}
        />
      )}
      <TextInput label={t.fields.name} description={t.fields.nameHelp} required {...field('name')} />
      {kind === 'saml' && <SamlFields form={form} isNew={isNew} isReadOnly={isReadOnly} />}
      {kind !== 'saml' &&
        ownTextsOf(kind).map((name) => (
          <TextInput key={name} label={t.fields[name]} description={t.help[name]} {...field(name)} />
        ))}
      {kind === 'ldap' && (
        <>
          <DirectoryFields
            inputOf={form.getInputProps}
            isNew={isNew}
            keepsIdentities
            isReadOnly={isReadOnly}
          />
          <NumberField
            label={d.fields.timeoutMs}
            help={d.help.timeoutMs}
            inherited={5000}
            source={d.usual}
            {...field('timeoutMs')}
          />
        </>
      )}
      {hasClient(kind) && (
        <TextInput label={t.fields.clientId} required autoComplete="off" {...field('clientId')} />
      )}
      {choosesAuthentication(kind) && (
        <Select
          label={t.fields.clientAuthentication}
          allowDeselect={false}
          data={Object.entries(t.authentications).map(([value, label]) => ({ value, label }))}
          {...field('clientAuthentication')}
        />
      )}
      {hasSecret && !isReadOnly && kind !== 'apple' && (
        <SecretInput
          label={t.fields.secret}
          description={secretHelp}
          required={isNew}
          autoComplete="new-password"
          show={t.fields.show}
          {...form.getInputProps('clientSecret')}
        />
      )}
      {!isReadOnly && kind === 'apple' && (
        <Textarea
          label={t.fields.appleKey}
          description={secretHelp}
          required={isNew}
          autosize
          minRows={3}
          placeholder="-----BEGIN PRIVATE KEY-----"
          {...form.getInputProps('clientSecret')}
          error={form.errors['clientSecret'] ?? lost}
        />
      )}
      {hasSecret && (
        <TextInput
          type="date"
          label={t.fields.secretExpires}
          description={t.help.secretExpires}
          {...field('secretExpires')}
        />
      )}
      {hasClient(kind) && (
        <TextInput label={t.fields.scopes} description={t.help.scopes} {...field('scopes')} />
      )}
      {kind === 'saml' && toggle('trustEmail')}
      {SWITCHES.map(toggle)}
      {signsOut(kind) && toggle('signOutAtProvider')}
      {ofOrganization && toggle('homeRealm')}
      {kind === 'saml' && <Fold {...t.folds.protection}>{SAML_PROTECTION.map(toggle)}</Fold>}
      <Fold {...t.folds.claims}>
        <JsonInput
          label={t.fields.mapping}
          description={t.help.mapping}
          autosize
          minRows={2}
          placeholder='{ "fields": { "email": "mail" } }'
          {...field('mapping')}
        />
        <JsonInput
          label={t.fields.requiredClaims}
          description={t.help.requiredClaims}
          autosize
          minRows={2}
          placeholder='{ "hd": "acme.example.com" }'
          {...field('requiredClaims')}
        />
      </Fold>
    </Stack>
  );
}

/** What its metadata says: by an address, by a file, or field by field. */
function SamlFields({ form, isNew, isReadOnly = false }: Omit<FieldsProperties, 'ofOrganization'>) {
  const field = (name: keyof ProviderValues) => ({ ...form.getInputProps(name), readOnly: isReadOnly });
  // chosen once, for good: whoever adds a provider sees it
  const lasting = (
    <>
      <Select
        label={t.fields.nameIdFormat}
        description={t.help.nameIdFormat}
        allowDeselect={false}
        data={Object.entries(t.nameIdFormats).map(([value, label]) => ({ value, label }))}
        {...field('nameIdFormat')}
      />
      <TextInput
        label={t.fields.subjectAttribute}
        description={t.help.subjectAttribute}
        {...field('subjectAttribute')}
      />
    </>
  );
  const read = async (file: File | null) => {
    if (file !== null) form.setFieldValue('metadata', await file.text());
  };
  return (
    <>
      <TextInput label={t.fields.metadataUrl} description={t.help.metadataUrl} {...field('metadataUrl')} />
      {!isReadOnly && (
        <div>
          <Textarea
            label={t.fields.metadata}
            description={t.help.metadata}
            autosize
            minRows={2}
            maxRows={8}
            placeholder="<EntityDescriptor …>"
            {...form.getInputProps('metadata')}
          />
          <FileButton accept=".xml,application/xml,text/xml" onChange={(file) => void read(file)}>
            {(properties) => (
              <Button {...properties} variant="default" size="xs" mt="xs">
                {t.fields.chooseFile}
              </Button>
            )}
          </FileButton>
        </div>
      )}
      {isNew && lasting}
      <Fold {...t.folds.metadata}>
        <TextInput label={t.fields.entityId} description={t.help.ofMetadata} {...field('entityId')} />
        <TextInput label={t.fields.ssoUrl} description={t.help.ssoUrl} {...field('ssoUrl')} />
        <TextInput label={t.fields.sloUrl} description={t.help.sloUrl} {...field('sloUrl')} />
        <Textarea
          label={t.fields.certificates}
          description={t.help.certificates}
          autosize
          minRows={2}
          maxRows={8}
          placeholder="-----BEGIN CERTIFICATE-----"
          {...field('certificates')}
        />
        {!isNew && lasting}
      </Fold>
    </>
  );
}
