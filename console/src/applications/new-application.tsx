import { Alert, List } from '@mantine/core';
import { useState } from 'react';
import de from '../../../locales/console/de/applications.json';
import en from '../../../locales/console/en/applications.json';
import { answered, api } from '../api/client.ts';
import { say, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { AppLink, ButtonLink } from '../shared/links.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { Copied, Secret } from '../shared/secret.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { applicationParams, bodyOf, findApplication, kindOf, type Kind, type Where } from './applications.ts';
import { Examples } from './examples.tsx';
import { partOfProblem } from './parts.ts';
import type { Framework } from './quickstart.ts';
import { needDevMode } from './redirect-uris.ts';

const t = words({ en, de });

/** What the answer to creating one has, and what was asked for. The secret is held here and nowhere else. */
export interface Created {
  readonly appId: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly name: string;
  readonly kind: Kind;
  readonly redirectUris: readonly string[];
  readonly framework?: Framework | undefined;
  readonly complianceProblems?:
    readonly { readonly key: string; readonly localizedMessage: string }[] | undefined;
}

interface NewApplicationProperties {
  readonly created: Created;
  readonly org: string;
  readonly project: string;
}

/** The end of the guide: the ids, the secret this once, and code to begin with. */
export function NewApplication({ created, org, project }: NewApplicationProperties) {
  const { appId: app, clientId, clientSecret, name, kind, framework } = created;
  const [redirectUris, setRedirectUris] = useState(created.redirectUris);
  const register = useRegister({ org, project, app }, setRedirectUris, clientSecret !== undefined);
  return (
    <div className="console-page">
      <PageHead
        title={say(t.created.title, { name })}
        lead={t.created.lead}
        actions={
          <ButtonLink
            to="/orgs/$org/projects/$project/applications/$app/{-$part}"
            params={{ org, project, app }}
            variant="default"
          >
            {t.created.open}
          </ButtonLink>
        }
      />
      {clientSecret !== undefined && <Secret title={t.secret.title} value={clientSecret} />}
      <Section title={t.connect.title}>
        <Connection clientId={clientId} />
      </Section>
      <Problems where={{ org, project, app }} problems={created.complianceProblems} />
      <Section title={t.examples.title} lead={t.examples.lead}>
        <Examples
          kind={kind}
          framework={framework}
          ids={{ issuer: location.origin, clientId, clientSecret, redirectUris }}
          register={register}
        />
      </Section>
    </div>
  );
}

/** What every library asks for. */
export function Connection({ clientId }: { readonly clientId: string }) {
  return (
    <Facts
      facts={[
        [t.connect.issuer, <Copied key="issuer" value={location.origin} />],
        [t.clientId, <Copied key="id" value={clientId} />],
        [
          t.connect.discovery,
          <Copied key="discovery" value={`${location.origin}/.well-known/openid-configuration`} />,
        ],
      ]}
    />
  );
}

/** Settings that are allowed and unwise, or that cannot work yet. */
export function Problems({
  where,
  problems,
}: {
  readonly where: Where;
  readonly problems: Created['complianceProblems'];
}) {
  if (problems === undefined || problems.length === 0) return null;
  const known: Readonly<Record<string, string>> = t.problems;
  return (
    <Alert color="yellow" variant="light" title={t.compliance} mt="md" mb="xl">
      <List size="sm" spacing={4}>
        {problems.map(({ key, localizedMessage }) => {
          const { to, label } = partOfProblem(where, key);
          return (
            <List.Item key={key}>
              {known[key] ?? localizedMessage}{' '}
              <AppLink size="sm" underline="always" to={to}>
                {say(t.parts.go, { part: label })}
              </AppLink>
            </List.Item>
          );
        })}
      </List>
    </Alert>
  );
}

/** Adds one redirect URI to those there are; in development mode where the address needs it. @param stays where the page shows a secret */
export function useRegister(
  where: { readonly org: string; readonly project: string; readonly app: string },
  onDone: (redirectUris: readonly string[]) => void,
  stays = false,
) {
  return useAct({
    stays,
    call: async (uri: string) => {
      // as it is now, so that nothing that somebody else changed goes back
      const app = await findApplication(where);
      const { oidcConfig } = app;
      if (oidcConfig === undefined) throw new Error('an API has no redirect URIs');
      const redirectUris = [...(oidcConfig.redirectUris ?? []), uri];
      await answered(
        api.PUT('/management/v1/projects/{projectId}/apps/{appId}/oidc_config', {
          params: applicationParams(where, app.details.sequence),
          body: {
            ...bodyOf(oidcConfig),
            redirectUris,
            devMode: oidcConfig.devMode === true || needDevMode([uri], kindOf(app)),
          },
        }),
      );
      return redirectUris;
    },
    stale: [['applications', where.org, where.project]],
    done: t.done.registered,
    onDone,
  });
}
