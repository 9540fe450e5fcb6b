import { Textarea, TextInput } from '@mantine/core';
import de from '../../../locales/console/de/directories.json';
import en from '../../../locales/console/en/directories.json';
import { words } from '../app/words.ts';
import { ToggleField } from '../shared/fields.tsx';
import { Fold } from '../shared/fold.tsx';
import { SecretInput } from '../shared/secret-input.tsx';
import type { DirectoryValues } from './directories.ts';

const t = words({ en, de });
const LINES = { autosize: true, minRows: 2, maxRows: 8 } as const;

interface DirectoryFieldsProperties {
  /** `getInputProps` of the form. */
  readonly inputOf: (name: keyof DirectoryValues, options?: { type: 'checkbox' }) => object;
  /** One that is there keeps its password unless another is given. */
  readonly isNew: boolean;
  /** People are known by it for good, and with it by where and by what they are found: neither can be changed later. */
  readonly keepsIdentities: boolean;
  readonly isReadOnly?: boolean;
}

/** The fields of a directory, one for each thing that its administrator tells you. */
export function DirectoryFields({
  inputOf,
  isNew,
  keepsIdentities,
  isReadOnly = false,
}: DirectoryFieldsProperties) {
  const field = (name: keyof typeof t.fields & keyof DirectoryValues) => ({
    label: t.fields[name],
    description: t.help[name],
    readOnly: isReadOnly,
    autoComplete: 'off',
    spellCheck: false,
    ...inputOf(name),
  });
  const toggle = (name: 'startTls' | 'trustEmail') => (
    <ToggleField
      label={t.fields[name]}
      help={t.help[name]}
      isReadOnly={isReadOnly}
      {...inputOf(name, { type: 'checkbox' })}
    />
  );
  const isFixed = isReadOnly || (keepsIdentities && !isNew);
  return (
    <>
      <Textarea {...LINES} {...field('urls')} required placeholder="ldaps://dc1.acme.example.com" />
      <TextInput
        {...field('baseDn')}
        {...(isFixed && !isReadOnly && { description: t.help.baseDnFixed })}
        required
        readOnly={isFixed}
        placeholder="dc=acme,dc=example,dc=com"
      />
      <TextInput
        {...field('bindDn')}
        required
        placeholder="cn=identity,ou=services,dc=acme,dc=example,dc=com"
      />
      {!isReadOnly && (
        <SecretInput
          label={t.fields.bindPassword}
          description={isNew ? t.help.bindPassword : t.help.bindPasswordKept}
          required={isNew}
          show={t.show}
          {...inputOf('bindPassword')}
          autoComplete="new-password"
        />
      )}
      <TextInput {...field('userFilter')} required />
      {keepsIdentities && (
        <TextInput {...field('subjectAttribute')} readOnly={isFixed} placeholder="entryUUID" />
      )}
      {toggle('trustEmail')}
      <Fold {...t.encryption}>
        {toggle('startTls')}
        <Textarea {...LINES} {...field('caCertificate')} placeholder="-----BEGIN CERTIFICATE-----" />
      </Fold>
      <TextInput type="date" {...field('secretExpires')} />
    </>
  );
}
