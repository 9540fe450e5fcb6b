import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import de from '../../../locales/console/de/applications.json';
import en from '../../../locales/console/en/applications.json';
import { answered, api } from '../api/client.ts';
import { Lost } from '../app/lost.tsx';
import { useMay } from '../app/permissions.ts';
import { dayOf, momentOf, say, words } from '../app/words.ts';
import { Keys } from '../credentials/keys.tsx';
import { BackToProject } from '../projects/back-to-project.tsx';
import { useAct } from '../shared/act.ts';
import { ActivationSwitch } from '../shared/activation-switch.tsx';
import { Decision } from '../shared/decision.tsx';
import { Deletion } from '../shared/deletion.tsx';
import { Found } from '../shared/found.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { orderOf, pageOf } from '../shared/search-body.ts';
import { Copied, Secret } from '../shared/secret.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { State } from '../shared/state.tsx';
import { SubPlaces } from '../shared/sub-places.tsx';
import { ApiSettings } from './api-settings.tsx';
import {
  APPLICATION_STATES,
  applicationParams,
  clientIdOf,
  findApplication,
  hasKeys,
  hasSecret,
  kindOf,
  type Application,
  type Where,
} from './applications.ts';
import { ClaimsPreview } from './claims-preview.tsx';
import { Examples } from './examples.tsx';
import { Connection, Problems, useRegister } from './new-application.tsx';
import { OidcSettings } from './oidc-settings.tsx';
import { API_PARTS, OIDC_PARTS, partPlaces, type Part } from './parts.ts';
import { RedirectCheck } from './redirect-check.tsx';
import { RegistrationToken } from './registration-token.tsx';

const t = words({ en, de });

interface ApplicationProperties {
  readonly where: Where;
  readonly app: Application;
}

/** An application: what it is registered with, and what it proves itself by. */
export function ApplicationPage() {
  const { org = '', project = '', app: id = '' } = useParams({ strict: false });
  const where = { org, project, app: id };
  const found = useQuery({
    queryKey: ['applications', org, project, id],
    queryFn: async () => await findApplication(where),
  });
  return <Found found={found}>{(app) => <OneApplication key={app.id} where={where} app={app} />}</Found>;
}

function OneApplication({ where, app }: ApplicationProperties) {
  const { org, project } = where;
  const { part: at = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const may = useMay(org);
  const mayWrite = may('project.app.write');
  // the console needs its own
  const mayEnd = mayWrite && app.isOwn !== true;
  // shown once, by whatever made it: the button, or a change to a method that has one
  const [secret, setSecret] = useState<string>();
  const register = useRegister(where, () => undefined);
  const clientId = clientIdOf(app);
  const { registration, registrationExpirationDate: goesAt } = app.oidcConfig ?? {};
  const parts = app.oidcConfig === undefined ? API_PARTS : OIDC_PARTS;
  const part = parts.find((one) => one === at);
  if (part === undefined) return <Lost />;
  // an API has no more to set than what it proves itself by
  const proofPart: Part = app.oidcConfig === undefined ? '' : 'sign-in';
  const settings = {
    where,
    app,
    mayWrite,
    part,
    onSecret: setSecret,
    head: (unsaved: ReadonlySet<Part>) => (
      <>
        <SubPlaces label={t.parts.label} places={partPlaces(where, parts, unsaved)} />
        {part === '' && (
          <Section title={t.connect.title}>
            <Connection clientId={clientId} />
          </Section>
        )}
      </>
    ),
  };
  return (
    <div className="console-page">
      <PageHead
        title={app.name}
        lead={
          <Group gap="xs">
            <Text span>{t.kinds[kindOf(app)].name}</Text>
            <State {...APPLICATION_STATES[app.state]} />
            {registration !== undefined && <Text span>{t.registrations[registration]}</Text>}
            {goesAt !== undefined && (
              <Text span>{say(t.registered.goesSentence, { day: dayOf(goesAt) })}</Text>
            )}
          </Group>
        }
        back={<BackToProject org={org} project={project} />}
        actions={mayEnd && <Activation where={where} app={app} />}
      />
      {secret !== undefined && <Secret title={t.secret.title} value={secret} />}
      <Problems where={where} problems={app.oidcConfig?.complianceProblems} />
      {app.oidcConfig === undefined ? <ApiSettings {...settings} /> : <OidcSettings {...settings} />}
      {part === '' && app.oidcConfig !== undefined && <RedirectCheck app={app} />}
      {part === proofPart && mayWrite && hasSecret(app) && (
        <NewSecret where={where} app={app} onSecret={setSecret} />
      )}
      {part === proofPart && mayWrite && registration !== undefined && registration !== 'document' && (
        <RegistrationToken where={where} />
      )}
      {part === proofPart && hasKeys(app) && <ApplicationKeys where={where} app={app} mayWrite={mayWrite} />}
      {part === 'tokens' && may('user.read') && <ClaimsPreview where={where} />}
      {part === 'code' && (
        <Section title={t.examples.title} lead={t.examples.lead}>
          <Examples
            kind={kindOf(app)}
            ids={{
              issuer: location.origin,
              clientId,
              clientSecret: secret,
              redirectUris: app.oidcConfig?.redirectUris ?? [],
            }}
            register={mayWrite ? register : undefined}
          />
        </Section>
      )}
      {part === '' && (
        <Section title={t.about}>
          <Facts
            facts={[
              [t.fields.id, <Copied key="id" value={app.id} />],
              [t.fields.created, momentOf(app.details.creationDate)],
              [t.fields.changed, momentOf(app.details.changeDate)],
            ]}
          />
        </Section>
      )}
      {part === '' && mayEnd && (
        <Deletion
          title={t.act.delete}
          label={t.act.delete}
          name={app.name}
          text={t.act.deleteText}
          word={app.name}
          remove={async () =>
            await answered(
              api.DELETE('/management/v1/projects/{projectId}/apps/{appId}', {
                params: applicationParams(where),
              }),
            )
          }
          stale={[['applications', org, project, 'list']]}
          done={t.done.deleted}
          onGone={() =>
            void navigate({
              to: '/orgs/$org/projects/$project',
              params: { org, project },
              ignoreBlocker: true,
            })
          }
        />
      )}
    </div>
  );
}

function Activation({ where, app }: ApplicationProperties) {
  const params = applicationParams(where);
  return (
    <ActivationSwitch
      isActive={app.state !== 'APP_STATE_INACTIVE'}
      isSecondary
      name={app.name}
      activate={async () =>
        await answered(api.POST('/management/v1/projects/{projectId}/apps/{appId}/_reactivate', { params }))
      }
      deactivate={async () =>
        await answered(api.POST('/management/v1/projects/{projectId}/apps/{appId}/_deactivate', { params }))
      }
      stale={[['applications', where.org, where.project]]}
      words={t}
    />
  );
}

function NewSecret({
  where,
  app,
  onSecret,
}: ApplicationProperties & { readonly onSecret: (secret: string) => void }) {
  const params = applicationParams(where);
  const make = useAct({
    call: async () =>
      app.oidcConfig === undefined
        ? await answered(
            api.POST('/management/v1/projects/{projectId}/apps/{appId}/api_config/_generate_client_secret', {
              params,
            }),
          )
        : await answered(
            api.POST('/management/v1/projects/{projectId}/apps/{appId}/oidc_config/_generate_client_secret', {
              params,
            }),
          ),
    stale: [['applications', where.org, where.project]],
    done: t.secret.made,
    onDone: ({ clientSecret }) => {
      if (clientSecret === undefined) return;
      onSecret(clientSecret);
      // it stands at the top of the page
      scrollTo({ top: 0 });
    },
  });
  return (
    <Decision
      title={t.secret.title}
      lead={t.secret.lead}
      label={t.secret.make}
      text={t.secret.makeText}
      isWorking={make.isPending}
      onConfirm={() => make.mutate()}
    />
  );
}

function ApplicationKeys({ where, app, mayWrite }: ApplicationProperties & { readonly mayWrite: boolean }) {
  const params = applicationParams(where);
  return (
    <Keys
      queryKey={['applications', where.org, where.project, where.app, 'keys']}
      fileName={`${app.name}-key.json`}
      lead={t.keysLead}
      mayWrite={mayWrite}
      find={async ({ state, ...search }) =>
        await answered(
          api.POST('/management/v1/projects/{projectId}/apps/{appId}/keys/_search', {
            params,
            body: {
              query: pageOf(search),
              queries: state === undefined ? [] : [{ stateQuery: { state } }],
              ...orderOf<'KEY_FIELD_NAME_EXPIRATION_DATE'>(search),
            },
          }),
        )
      }
      add={async (body) =>
        await answered(api.POST('/management/v1/projects/{projectId}/apps/{appId}/keys', { params, body }))
      }
      remove={async (keyId) =>
        await answered(
          api.DELETE('/management/v1/projects/{projectId}/apps/{appId}/keys/{keyId}', {
            params: { ...params, path: { ...params.path, keyId } },
          }),
        )
      }
    />
  );
}
