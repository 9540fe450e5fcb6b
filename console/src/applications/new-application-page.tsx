import { Alert, Chip, Group, Input, List, Paper, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useParams } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import de from '../../../locales/console/de/applications.json';
import en from '../../../locales/console/en/applications.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { useMay } from '../app/permissions.ts';
import { words } from '../app/words.ts';
import { BackToProject } from '../projects/back-to-project.tsx';
import { useAct } from '../shared/act.ts';
import { forgetDraft, useDraft } from '../shared/draft.ts';
import { Failure } from '../shared/failure.tsx';
import { useFilters } from '../shared/filters-in-address.ts';
import { AppLink } from '../shared/links.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { SaveBar } from '../shared/save-bar.tsx';
import type { Kind, NewOidcBody, OidcKind } from './applications.ts';
import { FRAMEWORKS_OF } from './examples.tsx';
import { NewApplication, type Created } from './new-application.tsx';
import { comesBack, FRAMEWORK_NAMES, loadQuickstart, type Framework } from './quickstart.ts';
import { faultOf, needDevMode } from './redirect-uris.ts';
import { filled, UriList } from './uri-list.tsx';

const t = words({ en, de });

const KINDS: readonly Kind[] = ['spa', 'web', 'native', 'api'];
const PLACEHOLDERS: Readonly<Record<OidcKind, string>> = {
  spa: 'https://app.example.com/',
  web: 'https://app.example.com/callback',
  native: 'com.example.app:/callback',
};

/** What each kind needs and nobody should have to know. */
const CHOSEN = {
  spa: {
    appType: 'OIDC_APP_TYPE_USER_AGENT',
    authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
    grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN'],
  },
  web: {
    appType: 'OIDC_APP_TYPE_WEB',
    authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC',
    grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN'],
  },
  native: {
    appType: 'OIDC_APP_TYPE_NATIVE',
    authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
    grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN'],
  },
} as const satisfies Record<OidcKind, Partial<NewOidcBody>>;

interface Values {
  name: string;
  redirectUris: string[];
  postLogoutRedirectUris: string[];
}
/** What a framework needs, once that is loaded. */
interface Needed {
  readonly framework?: Framework | undefined;
  readonly settings: Partial<NewOidcBody>;
}

/** What is kept of it: the kind stands in the address, and a framework is nothing without its settings. */
interface Draft extends Needed {
  readonly values: Values;
}

const NOTHING: Values = { name: '', redirectUris: [''], postLogoutRedirectUris: [''] };

/** A guide: what is it, what is it called, where do people come back to. The rest is chosen, and can be changed later. */
export function NewApplicationPage() {
  const { org = '', project = '' } = useParams({ strict: false });
  const may = useMay(org);
  const [{ kind: asked }, setFilters] = useFilters();
  const kind = KINDS.find((one) => one === asked);
  const [created, setCreated] = useState<Created>();
  const back = <BackToProject org={org} project={project} />;
  if (created !== undefined) return <NewApplication created={created} org={org} project={project} />;
  return (
    <div className="console-page">
      <PageHead title={t.new.title} lead={t.new.lead} back={back} />
      <Radio.Group
        label={t.new.kind}
        value={kind ?? ''}
        onChange={(value) => setFilters({ kind: value })}
        mb="md"
      >
        <div className="choices">
          {KINDS.map((one) => (
            <Radio.Card key={one} value={one} className="choice" aria-label={t.kinds[one].name}>
              <Text fw={600}>{t.kinds[one].name}</Text>
              <Text size="sm" c="dimmed">
                {t.kinds[one].text}
              </Text>
            </Radio.Card>
          ))}
          {may('user.write') && (
            <AppLink className="choice" to="/orgs/$org/service-users/new" params={{ org }}>
              <Text fw={600}>{t.kinds.machine.name}</Text>
              <Text size="sm" c="dimmed">
                {t.kinds.machine.text}
              </Text>
            </AppLink>
          )}
        </div>
      </Radio.Group>
      <Text size="sm" c="dimmed" mb="md">
        {t.new.noSaml}
      </Text>
      {kind !== undefined && (
        <Details key={kind} kind={kind} org={org} project={project} onCreated={setCreated} />
      )}
    </div>
  );
}

interface DetailsProperties {
  readonly kind: Kind;
  readonly org: string;
  readonly project: string;
  readonly onCreated: (created: Created) => void;
}

function Details({ kind, org, project, onCreated }: DetailsProperties) {
  const form = useForm<Values>({ mode: 'controlled', initialValues: NOTHING });
  const [framework, setFramework] = useState<Framework>();
  const [failure, setFailure] = useState<unknown>();
  const [needed, setNeeded] = useState<Needed>({ settings: {} });
  const { settings } = needed;
  const latest = useRef<Framework>(undefined);
  const draft = `application-new-${project}-${kind}`;
  useDraft<Draft>(draft, { values: form.values, ...needed }, form.isDirty(), ({ values, ...kept }) => {
    form.setValues(values);
    setFramework(kept.framework);
    latest.current = kept.framework;
    setNeeded(kept);
  });
  const params = { ...inOrganization(org), path: { projectId: project } };
  const redirectUris = filled(form.values.redirectUris);
  const postLogoutRedirectUris = filled(form.values.postLogoutRedirectUris);
  const hasBrowser = comesBack(settings);
  const devMode = needDevMode([...redirectUris, ...postLogoutRedirectUris], kind);
  const add = useAct({
    call: async (): Promise<Created> => {
      const name = form.values.name.trim();
      if (kind === 'api') {
        const made = await answered(
          api.POST('/management/v1/projects/{projectId}/apps/api', { params, body: { name } }),
        );
        return { ...made, name, kind, redirectUris: [] };
      }
      const body: NewOidcBody = {
        ...CHOSEN[kind],
        grantTypes: [...CHOSEN[kind].grantTypes],
        // what the framework's own page registers, and its tests have tried
        ...settings,
        name,
        redirectUris,
        postLogoutRedirectUris,
        devMode,
      };
      const made = await answered(
        api.POST('/management/v1/projects/{projectId}/apps/oidc', { params, body }),
      );
      return { ...made, name, kind, redirectUris, framework: needed.framework };
    },
    stale: [['applications', org, project]],
    quiet: true,
    onDone: (created) => {
      form.resetDirty();
      forgetDraft(draft);
      onCreated(created);
    },
  });
  async function choose(next: Framework): Promise<void> {
    setFramework(next);
    latest.current = next;
    setFailure(undefined);
    let of: NewOidcBody;
    try {
      of = (await loadQuickstart(next)).settings;
    } catch (error) {
      if (latest.current !== next) return;
      // what the application would be made with is ticked, and nothing else
      latest.current = needed.framework;
      setFramework(needed.framework);
      setFailure(error);
      return;
    }
    // another was chosen while it was loaded
    if (latest.current !== next) return;
    const {
      name: _name,
      redirectUris: to = [],
      postLogoutRedirectUris: after = [],
      devMode: _dev,
      ...rest
    } = of;
    setNeeded({
      framework: next,
      settings: { grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'], ...rest },
    });
    form.setValues({ redirectUris: [...to], postLogoutRedirectUris: [...after] });
  }
  const problemOf = (uri: string) => {
    const fault = faultOf(uri, kind, true);
    return fault === undefined ? undefined : t.faults[fault];
  };
  return (
    <form onSubmit={form.onSubmit(() => add.mutate())}>
      <Paper p="lg">
        <Stack maw={640}>
          <TextInput
            label={t.fields.name}
            description={kind === 'api' ? t.new.apiNameHelp : t.fields.nameHelp}
            required
            maxLength={200}
            autoComplete="off"
            {...form.getInputProps('name')}
          />
          {kind !== 'api' && (
            <>
              <Input.Wrapper
                labelElement="div"
                label={t.new.framework}
                description={t.new.frameworkHelp}
                role="group"
                aria-label={t.new.framework}
              >
                <Chip.Group value={framework ?? null} onChange={(value) => void choose(value)}>
                  <Group gap="xs" mt={6}>
                    {FRAMEWORKS_OF[kind].map((one) => (
                      <Chip key={one} value={one} size="sm">
                        {FRAMEWORK_NAMES[one]}
                      </Chip>
                    ))}
                  </Group>
                </Chip.Group>
                {failure !== undefined && <Failure error={failure} />}
              </Input.Wrapper>
              {hasBrowser && (
                <>
                  <UriList
                    label={t.fields.redirectUris}
                    description={t.new.redirectUrisHelp}
                    placeholder={PLACEHOLDERS[kind]}
                    required
                    problemOf={problemOf}
                    value={form.values.redirectUris}
                    onChange={(value) => form.setFieldValue('redirectUris', value)}
                  />
                  <UriList
                    label={t.fields.postLogoutRedirectUris}
                    description={t.new.postLogoutRedirectUrisHelp}
                    problemOf={problemOf}
                    value={form.values.postLogoutRedirectUris}
                    onChange={(value) => form.setFieldValue('postLogoutRedirectUris', value)}
                  />
                </>
              )}
              {devMode && (
                <Alert color="yellow" variant="light" title={t.new.devMode}>
                  {t.new.devModeText}
                </Alert>
              )}
            </>
          )}
          <div>
            <Text size="sm" fw={600} mb={4}>
              {t.new.chosen}
            </Text>
            <List size="sm" c="dimmed" spacing={4}>
              {(hasBrowser ? t.kinds[kind].chosen : t.new.deviceChosen).map((choice) => (
                <List.Item key={choice}>{choice}</List.Item>
              ))}
            </List>
          </div>
        </Stack>
      </Paper>
      <SaveBar
        isDirty={form.isDirty()}
        isSaving={add.isPending}
        error={add.error}
        label={t.new.submit}
        onDiscard={() => {
          form.reset();
          latest.current = undefined;
          setFramework(undefined);
          setFailure(undefined);
          setNeeded({ settings: {} });
        }}
      />
    </form>
  );
}
