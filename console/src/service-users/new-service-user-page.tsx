import { Radio, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import credentialsDe from '../../../locales/console/de/credentials.json';
import de from '../../../locales/console/de/service-users.json';
import credentials from '../../../locales/console/en/credentials.json';
import en from '../../../locales/console/en/service-users.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { say, words } from '../app/words.ts';
import { Requests } from '../applications/examples.tsx';
import { Connection } from '../applications/new-application.tsx';
import { expiryOf, LifetimeSelect, type Lifetime } from '../credentials/expiry.tsx';
import { keyFileOf } from '../credentials/keys.tsx';
import { useAct } from '../shared/act.ts';
import { CodeBlock } from '../shared/code-block.tsx';
import { forgetDraft, useDraft } from '../shared/draft.ts';
import { HalfMade } from '../shared/half-made.tsx';
import { AppLink, ButtonLink } from '../shared/links.tsx';
import { NewPage } from '../shared/new-page.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { Secret } from '../shared/secret.tsx';
import { Section } from '../shared/section.tsx';

const t = words({ en, de });
const c = words({ en: credentials, de: credentialsDe });

const WAYS = ['token', 'key', 'secret', 'nothing'] as const;
type Way = (typeof WAYS)[number];

interface Values {
  name: string;
  userName: string;
  description: string;
  way: Way;
  lifetime: Lifetime;
  /** The id of the account that a try has made whose second half failed; '' before that. */
  made: string;
}
const NOTHING: Values = {
  name: '',
  userName: '',
  description: '',
  way: 'token',
  lifetime: '365',
  made: '',
};

interface Created {
  readonly userId: string;
  readonly name: string;
  readonly userName: string;
  readonly way: Way;
  readonly credential: string | undefined;
}

/** "Nightly export" is called `nightly-export`, unless somebody says otherwise. */
function userNameOf(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}

/** Makes a service user and what it proves itself by, in one go. */
export function NewServiceUserPage() {
  const { org = '' } = useParams({ strict: false });
  const [created, setCreated] = useState<Created>();
  const form = useForm<Values>({ mode: 'controlled', initialValues: NOTHING });
  const [isOwnName, setOwnName] = useState(false);
  const queries = useQueryClient();
  const draft = `service-user-new-${org}`;
  useDraft(draft, form.values, form.isDirty(), (kept) => {
    // a draft of the release before has something else there
    form.setValues({ ...kept, made: typeof kept.made === 'string' ? kept.made : '' });
    setOwnName(kept.userName !== userNameOf(kept.name));
  });
  const add = useAct({
    call: async ({ way, lifetime, made, ...values }: Values): Promise<Created> => {
      const name = values.name.trim();
      const userName = values.userName.trim();
      const description = values.description.trim();
      const userId = made === '' ? await addAccount(org, { name, userName, description }) : made;
      // as the account has them: nothing of it is sent again
      form.setValues({ name, userName, description, made: userId });
      void queries.invalidateQueries({ queryKey: ['users', org] });
      return { userId, name, userName, way, credential: await credentialOf(org, userId, way, lifetime) };
    },
    stale: [['users', org]],
    quiet: true,
    onDone: (made) => {
      form.resetDirty();
      forgetDraft(draft);
      setCreated(made);
    },
  });
  if (created !== undefined) return <NewServiceUser org={org} created={created} />;
  const { values } = form;
  const isMade = values.made !== '';
  return (
    <NewPage
      title={t.new.title}
      lead={t.new.lead}
      back={
        <AppLink size="sm" to="/orgs/$org/service-users" params={{ org }}>
          {t.back}
        </AppLink>
      }
      form={form}
      make={add}
      submit={t.new.submit}
      onDiscard={() => {
        setOwnName(false);
        form.reset();
      }}
    >
      <Stack maw={640}>
        {isMade && !add.isPending && (
          <HalfMade
            text={t.new.made}
            link={
              <AppLink size="sm" to="/orgs/$org/service-users/$user" params={{ org, user: values.made }}>
                {t.created.open}
              </AppLink>
            }
          />
        )}
        <TextInput
          label={t.fields.name}
          description={t.fields.nameHelp}
          required
          readOnly={isMade}
          maxLength={200}
          autoComplete="off"
          value={values.name}
          onChange={({ currentTarget: { value } }) =>
            form.setValues({ name: value, ...(!isOwnName && { userName: userNameOf(value) }) })
          }
        />
        <TextInput
          label={t.fields.userName}
          description={t.fields.userNameHelp}
          required
          readOnly={isMade}
          maxLength={200}
          autoComplete="off"
          value={values.userName}
          onChange={({ currentTarget: { value } }) => {
            setOwnName(value !== '');
            form.setFieldValue('userName', value);
          }}
        />
        <Textarea
          label={t.fields.description}
          readOnly={isMade}
          autosize
          minRows={1}
          maxLength={500}
          {...form.getInputProps('description')}
        />
        <Radio.Group label={t.new.by} {...form.getInputProps('way')}>
          <Stack gap="sm" mt="xs">
            {WAYS.map((way) => (
              <Radio key={way} value={way} label={t.new[way]} description={t.new[`${way}Help`]} />
            ))}
          </Stack>
        </Radio.Group>
        {(values.way === 'token' || values.way === 'key') && (
          <LifetimeSelect
            value={values.lifetime}
            onChange={(lifetime) => form.setFieldValue('lifetime', lifetime)}
          />
        )}
      </Stack>
    </NewPage>
  );
}

async function addAccount(
  org: string,
  { name, userName, description }: Pick<Values, 'name' | 'userName' | 'description'>,
): Promise<string> {
  const { userId } = await answered(
    api.POST('/management/v1/users/machine', {
      params: inOrganization(org),
      body: { name, userName, ...(description !== '' && { description }) },
    }),
  );
  return userId;
}

/** What is shown once. */
async function credentialOf(
  org: string,
  id: string,
  way: Way,
  lifetime: Lifetime,
): Promise<string | undefined> {
  const params = { ...inOrganization(org), path: { id } };
  const body = expiryOf(lifetime);
  switch (way) {
    case 'token':
      return (await answered(api.POST('/management/v1/users/{id}/pats', { params, body }))).token;
    case 'key': {
      const { keyDetails = '' } = await answered(
        api.POST('/management/v1/users/{id}/keys', { params, body }),
      );
      return keyFileOf(keyDetails);
    }
    case 'secret':
      return (await answered(api.PUT('/management/v1/users/{id}/secret', { params }))).clientSecret;
    case 'nothing':
      return undefined;
  }
}

const MADE: Readonly<Record<Exclude<Way, 'nothing'>, string>> = {
  token: c.tokens.made,
  key: c.keys.made,
  secret: c.secret.made,
};

function NewServiceUser({ org, created }: { readonly org: string; readonly created: Created }) {
  const { userId, name, userName, way, credential } = created;
  const ids = { issuer: location.origin, clientId: userName, clientSecret: credential, redirectUris: [] };
  return (
    <div className="console-page">
      <PageHead
        title={say(t.created.title, { name })}
        {...(credential !== undefined && { lead: t.created.lead })}
        actions={
          <ButtonLink to="/orgs/$org/service-users/$user" params={{ org, user: userId }} variant="default">
            {t.created.open}
          </ButtonLink>
        }
      />
      {credential !== undefined && way !== 'nothing' && (
        <Secret
          title={MADE[way]}
          value={credential}
          {...(way === 'key' && { fileName: `${userName}-key.json` })}
        />
      )}
      <Section title={t.sections.about}>
        <Connection clientId={userName} />
      </Section>
      {way === 'token' && (
        <Section title={t.created.examples}>
          <CodeBlock
            title="curl"
            code={`curl -H 'Authorization: Bearer ${credential}' ${location.origin}/auth/v1/users/me`}
          />
        </Section>
      )}
      {way === 'secret' && (
        <Section title={t.created.examples}>
          <Requests caller="machine" ids={ids} />
        </Section>
      )}
    </div>
  );
}
