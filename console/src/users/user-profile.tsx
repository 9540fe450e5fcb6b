import { Autocomplete, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import de from '../../../locales/console/de/users.json';
import en from '../../../locales/console/en/users.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { words } from '../app/words.ts';
import { NarrowFold } from '../shared/fold.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import { languageName, LANGUAGES } from '../sign-in/branding.ts';
import {
  bodyOf,
  usualName,
  valuesOf,
  type AddressField,
  type ProfileValues,
  type TextField,
} from './profile.ts';
import type { User } from './users.ts';

const t = words({ en, de });

interface UserProfileProperties {
  readonly org: string;
  readonly user: User;
  readonly mayWrite: boolean;
}

/** The claims about a person that the service knows (OpenID Connect Core §5.1). */
export function UserProfile({ org, user, mayWrite }: UserProfileProperties) {
  const initial = valuesOf(user.human?.profile);
  if (!mayWrite)
    return <ReadProfile values={{ ...initial, displayName: user.human?.profile.displayName ?? '' }} />;
  return (
    <SettingsForm<ProfileValues>
      bare
      name={`user-profile-${user.id}`}
      what={t.sections.profile}
      initial={initial}
      sequence={user.details.sequence}
      save={async (values, sequence) =>
        await answered(
          api.PUT('/management/v1/users/{id}/profile', {
            params: { ...inOrganization(org, sequence), path: { id: user.id } },
            body: bodyOf(values),
          }),
        )
      }
      stale={[['users', org]]}
      done={t.done.saved}
    >
      {(form) => (
        <Section title={t.sections.profile} lead={t.sections.profileLead}>
          <ProfileFields form={form} />
        </Section>
      )}
    </SettingsForm>
  );
}

function ReadProfile({ values }: { readonly values: ProfileValues }) {
  const { preferredLanguage, gender } = values;
  const shown: readonly (TextField | AddressField)[] = [
    'firstName',
    'middleName',
    'lastName',
    'displayName',
    'nickName',
  ];
  const after: readonly (TextField | AddressField)[] = [
    'birthdate',
    'zoneinfo',
    'website',
    'profile',
    'picture',
    'formatted',
    'streetAddress',
    'postalCode',
    'locality',
    'region',
    'country',
  ];
  const factOf = (field: TextField | AddressField) => [t.fields[labelOf(field)], values[field]] as const;
  return (
    <Section title={t.sections.profile}>
      <Facts
        facts={[
          ...shown.map(factOf),
          [t.fields.language, preferredLanguage === '' ? '' : languageName(preferredLanguage)],
          [t.fields.gender, GENDERS.find(({ value }) => value === gender)?.label],
          ...after.map(factOf),
        ]}
      />
    </Section>
  );
}

function labelOf(field: TextField | AddressField) {
  return field === 'preferredLanguage' ? 'language' : field;
}

const GENDERS = Object.entries(t.genders).map(([value, label]) => ({ value, label }));
const ZONES: readonly string[] = Intl.supportedValuesOf('timeZone');

function ProfileFields({ form }: { readonly form: UseFormReturnType<ProfileValues> }) {
  const text = (field: TextField | AddressField, more: object = {}): ReactNode => (
    <TextInput label={t.fields[labelOf(field)]} autoComplete="off" {...more} {...form.getInputProps(field)} />
  );
  const language = form.values.preferredLanguage;
  const { firstName, lastName, displayName } = form.values;
  // whoever registered may have a display name alone
  const needsNames = usualName({ firstName, lastName }) !== '' || displayName.trim() === '';
  return (
    <Stack gap="lg" maw={720}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {text('firstName', { required: needsNames, maxLength: 200 })}
        {text('lastName', { required: needsNames, maxLength: 200 })}
      </SimpleGrid>
      <SimpleGrid cols={2}>
        {text('middleName', { maxLength: 200 })}
        {text('nickName', { maxLength: 200 })}
      </SimpleGrid>
      {text('displayName', {
        description: t.fields.displayNameHelp,
        placeholder: usualName(form.values),
        maxLength: 200,
      })}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label={t.fields.language}
          description={t.fields.languageHelp}
          placeholder={t.fields.none}
          clearable
          searchable
          data={[
            ...LANGUAGES,
            // one that pages do not speak is kept, for applications that do
            ...(language === '' || (LANGUAGES as readonly string[]).includes(language) ? [] : [language]),
          ].map((value) => ({ value, label: languageName(value) }))}
          value={language === '' ? null : language}
          onChange={(value) => form.setFieldValue('preferredLanguage', value ?? '')}
        />
        <Autocomplete
          label={t.fields.zoneinfo}
          description={t.fields.timeZoneHelp}
          data={[...ZONES]}
          limit={50}
          maxLength={64}
          {...form.getInputProps('zoneinfo')}
        />
      </SimpleGrid>
      <NarrowFold title={t.sections.more} lead={t.sections.moreLead}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label={t.fields.gender}
            placeholder={t.fields.none}
            clearable
            data={GENDERS}
            value={form.values.gender === '' ? null : form.values.gender}
            onChange={(value) => form.setFieldValue('gender', value ?? '')}
          />
          {text('birthdate', { placeholder: t.fields.birthdateHelp, maxLength: 10 })}
        </SimpleGrid>
        <SimpleGrid cols={2}>
          {text('website', { type: 'url', placeholder: 'https://', maxLength: 2048 })}
          {text('profile', { type: 'url', placeholder: 'https://', maxLength: 2048 })}
        </SimpleGrid>
        {text('picture', { type: 'url', description: t.fields.pictureHelp, maxLength: 2048 })}
      </NarrowFold>
      <NarrowFold title={t.sections.address} lead={t.sections.addressLead}>
        <Textarea
          label={t.fields.formatted}
          autosize
          minRows={2}
          maxLength={500}
          {...form.getInputProps('formatted')}
        />
        {text('streetAddress', { maxLength: 500 })}
        <SimpleGrid cols={2}>
          {text('postalCode', { maxLength: 200 })}
          {text('locality', { maxLength: 200 })}
          {text('region', { maxLength: 200 })}
          {text('country', { maxLength: 200 })}
        </SimpleGrid>
      </NarrowFold>
    </Stack>
  );
}
