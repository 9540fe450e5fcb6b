import { Checkbox, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import de from '../../../locales/console/de/applications.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/applications.json';
import shared from '../../../locales/console/en/shared.json';
import { answered, api } from '../api/client.ts';
import { say, words } from '../app/words.ts';
import { useDiscovery } from '../shared/discovery.ts';
import { Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import {
  CERTIFICATE_NAMES,
  type Application,
  type OidcBody,
  type OidcConfig,
  type OidcKind,
  type Where,
} from './applications.ts';
import { FormPart, FormParts } from './form-parts.tsx';
import { applicationPath, type Part } from './parts.ts';
import { faultOf } from './redirect-uris.ts';
import { useSaveApplication } from './save-application.ts';
import { TokenLifetimes } from './token-lifetimes.tsx';
import { UriField } from './uri-field.tsx';
import { filled, UriList } from './uri-list.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

/** What the API calls each value, and what people do. */
const APP_TYPES = {
  OIDC_APP_TYPE_WEB: t.kinds.web.name,
  OIDC_APP_TYPE_USER_AGENT: t.kinds.spa.name,
  OIDC_APP_TYPE_NATIVE: t.kinds.native.name,
};
const AUTH_METHODS = {
  OIDC_AUTH_METHOD_TYPE_BASIC: t.methods.basic,
  OIDC_AUTH_METHOD_TYPE_POST: t.methods.post,
  OIDC_AUTH_METHOD_TYPE_NONE: t.methods.none,
  OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT: t.methods.privateKey,
  OIDC_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH: t.methods.certificate,
  OIDC_AUTH_METHOD_TYPE_SELF_SIGNED_TLS_CLIENT_AUTH: t.methods.selfSigned,
};
const SIGNS = 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT';
const GRANT_TYPES = {
  OIDC_GRANT_TYPE_AUTHORIZATION_CODE: t.grants.code,
  OIDC_GRANT_TYPE_REFRESH_TOKEN: t.grants.refresh,
  OIDC_GRANT_TYPE_DEVICE_CODE: t.grants.device,
  OIDC_GRANT_TYPE_TOKEN_EXCHANGE: t.grants.exchange,
  OIDC_GRANT_TYPE_IMPLICIT: t.grants.implicit,
};
const RESPONSE_TYPES = {
  OIDC_RESPONSE_TYPE_CODE: t.responses.code,
  OIDC_RESPONSE_TYPE_ID_TOKEN: t.responses.idToken,
  OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN: t.responses.idTokenToken,
  OIDC_RESPONSE_TYPE_CODE_ID_TOKEN: t.responses.codeIdToken,
  OIDC_RESPONSE_TYPE_CODE_TOKEN: t.responses.codeToken,
  OIDC_RESPONSE_TYPE_CODE_ID_TOKEN_TOKEN: t.responses.codeIdTokenToken,
};
const TOKEN_TYPES = { OIDC_TOKEN_TYPE_BEARER: t.tokens.opaque, OIDC_TOKEN_TYPE_JWT: t.tokens.jwt };
const NO_PROFILE = 'OIDC_SECURITY_PROFILE_NONE';
const PROFILES = {
  [NO_PROFILE]: t.profiles.none,
  OIDC_SECURITY_PROFILE_FAPI2: t.profiles.fapi2,
  OIDC_SECURITY_PROFILE_FAPI2_MESSAGE_SIGNING: t.profiles.messages,
};
const SUBJECTS = {
  OIDC_SUBJECT_TYPE_PUBLIC: t.subjects.public,
  OIDC_SUBJECT_TYPE_PAIRWISE: t.subjects.pairwise,
};
const ACCESS = { none: t.access.none, organization: t.access.organization, instance: t.access.instance };

const KINDS: Readonly<Record<string, OidcKind>> = {
  OIDC_APP_TYPE_USER_AGENT: 'spa',
  OIDC_APP_TYPE_NATIVE: 'native',
};

// oxlint-disable-next-line typescript/consistent-type-definitions -- forms take records, which an interface is not
type Values = {
  name: string;
  appType: string;
  redirectUris: string[];
  postLogoutRedirectUris: string[];
  initiateLoginUri: string;
  devMode: boolean;
  authMethodType: string;
  jwksUri: string;
  assertionAudienceIssuerOnly: boolean;
  grantTypes: string[];
  responseTypes: string[];
  accessTokenType: string;
  accessTokenAtJwt: boolean;
  requirePushedAuthorizationRequests: boolean;
  requireSignedRequestObject: boolean;
  requestUris: string[];
  dpopBoundAccessTokens: boolean;
  tlsClientCertificateBoundAccessTokens: boolean;
  tlsClientAuthSubjectDn: string;
  tlsClientAuthSanDns: string;
  tlsClientAuthSanUri: string;
  tlsClientAuthSanIp: string;
  tlsClientAuthSanEmail: string;
  securityProfile: string;
  subjectType: string;
  sectorIdentifierUri: string;
  accessTokenRoleAssertion: boolean;
  idTokenRoleAssertion: boolean;
  idTokenUserinfoAssertion: boolean;
  claimsWebhook: boolean;
  idTokenSignedResponseAlg: string;
  userinfoSignedResponseAlg: string;
  authorizationSignedResponseAlg: string;
  clockSkew: string;
  additionalOrigins: string[];
  backChannelLogoutUri: string;
  frontChannelLogoutUri: string;
  frontChannelLogoutSessionRequired: boolean;
  sessionManagement: boolean;
  skipNativeAppSuccessPage: boolean;
  managementAccess: string;
};
/** The part of the page that each is in. */
const PARTS: Readonly<Record<keyof Values, Part>> = {
  name: '',
  appType: '',
  redirectUris: '',
  postLogoutRedirectUris: '',
  initiateLoginUri: '',
  devMode: '',
  authMethodType: 'sign-in',
  jwksUri: 'sign-in',
  assertionAudienceIssuerOnly: 'sign-in',
  grantTypes: 'sign-in',
  responseTypes: 'sign-in',
  requirePushedAuthorizationRequests: 'sign-in',
  requireSignedRequestObject: 'sign-in',
  requestUris: 'sign-in',
  tlsClientAuthSubjectDn: 'sign-in',
  tlsClientAuthSanDns: 'sign-in',
  tlsClientAuthSanUri: 'sign-in',
  tlsClientAuthSanIp: 'sign-in',
  tlsClientAuthSanEmail: 'sign-in',
  securityProfile: 'sign-in',
  accessTokenType: 'tokens',
  accessTokenAtJwt: 'tokens',
  dpopBoundAccessTokens: 'tokens',
  tlsClientCertificateBoundAccessTokens: 'tokens',
  accessTokenRoleAssertion: 'tokens',
  idTokenRoleAssertion: 'tokens',
  idTokenUserinfoAssertion: 'tokens',
  claimsWebhook: 'tokens',
  idTokenSignedResponseAlg: 'tokens',
  userinfoSignedResponseAlg: 'tokens',
  authorizationSignedResponseAlg: 'tokens',
  clockSkew: 'tokens',
  additionalOrigins: 'access',
  backChannelLogoutUri: 'access',
  frontChannelLogoutUri: 'access',
  frontChannelLogoutSessionRequired: 'access',
  sessionManagement: 'access',
  subjectType: 'access',
  sectorIdentifierUri: 'access',
  managementAccess: 'access',
  skipNativeAppSuccessPage: 'access',
};
type Flag = {
  [Field in keyof Values]: Values[Field] extends boolean ? Field : never;
}[keyof Values];

function valuesOf(name: string, config: OidcConfig): Values {
  return {
    name,
    appType: config.appType,
    redirectUris: [...(config.redirectUris ?? [])],
    postLogoutRedirectUris: [...(config.postLogoutRedirectUris ?? [])],
    initiateLoginUri: config.initiateLoginUri ?? '',
    devMode: config.devMode === true,
    authMethodType: config.authMethodType,
    jwksUri: config.jwksUri ?? '',
    assertionAudienceIssuerOnly: config.assertionAudienceIssuerOnly === true,
    grantTypes: [...config.grantTypes],
    responseTypes: [...config.responseTypes],
    accessTokenType: config.accessTokenType,
    accessTokenAtJwt: config.accessTokenAtJwt === true,
    requirePushedAuthorizationRequests: config.requirePushedAuthorizationRequests === true,
    requireSignedRequestObject: config.requireSignedRequestObject === true,
    requestUris: [...(config.requestUris ?? [])],
    dpopBoundAccessTokens: config.dpopBoundAccessTokens === true,
    tlsClientCertificateBoundAccessTokens: config.tlsClientCertificateBoundAccessTokens === true,
    tlsClientAuthSubjectDn: config.tlsClientAuthSubjectDn ?? '',
    tlsClientAuthSanDns: config.tlsClientAuthSanDns ?? '',
    tlsClientAuthSanUri: config.tlsClientAuthSanUri ?? '',
    tlsClientAuthSanIp: config.tlsClientAuthSanIp ?? '',
    tlsClientAuthSanEmail: config.tlsClientAuthSanEmail ?? '',
    securityProfile: config.securityProfile ?? NO_PROFILE,
    subjectType: config.subjectType ?? 'OIDC_SUBJECT_TYPE_PUBLIC',
    sectorIdentifierUri: config.sectorIdentifierUri ?? '',
    accessTokenRoleAssertion: config.accessTokenRoleAssertion === true,
    idTokenRoleAssertion: config.idTokenRoleAssertion === true,
    idTokenUserinfoAssertion: config.idTokenUserinfoAssertion === true,
    claimsWebhook: config.claimsWebhook === true,
    idTokenSignedResponseAlg: config.idTokenSignedResponseAlg ?? '',
    userinfoSignedResponseAlg: config.userinfoSignedResponseAlg ?? '',
    authorizationSignedResponseAlg: config.authorizationSignedResponseAlg ?? '',
    clockSkew: config.clockSkew,
    additionalOrigins: [...(config.additionalOrigins ?? [])],
    backChannelLogoutUri: config.backChannelLogoutUri ?? '',
    frontChannelLogoutUri: config.frontChannelLogoutUri ?? '',
    frontChannelLogoutSessionRequired: config.frontChannelLogoutSessionRequired === true,
    sessionManagement: config.sessionManagement === true,
    skipNativeAppSuccessPage: config.skipNativeAppSuccessPage === true,
    managementAccess: config.managementAccess ?? 'none',
  };
}

/**
 * What is the same as before is not sent for the access to the APIs: giving it takes a fresh sign-in.
 * @param before undefined to set it whatever is there
 */
function bodyOf(values: Values, before: OidcConfig | undefined): OidcBody {
  const {
    name: _name,
    idTokenSignedResponseAlg,
    userinfoSignedResponseAlg,
    authorizationSignedResponseAlg,
    managementAccess,
    ...same
  } = values;
  const isSameAccess = before !== undefined && managementAccess === (before.managementAccess ?? 'none');
  return {
    ...same,
    redirectUris: filled(values.redirectUris),
    postLogoutRedirectUris: filled(values.postLogoutRedirectUris),
    additionalOrigins: filled(values.additionalOrigins),
    requestUris: filled(values.requestUris),
    backChannelLogoutUri: values.backChannelLogoutUri.trim(),
    // of no use to another method, and refused with it
    requireSignedRequestObject: values.authMethodType === SIGNS && values.requireSignedRequestObject,
    jwksUri: values.authMethodType === SIGNS ? values.jwksUri.trim() : '',
    frontChannelLogoutUri: values.frontChannelLogoutUri.trim(),
    initiateLoginUri: values.initiateLoginUri.trim(),
    sectorIdentifierUri: values.sectorIdentifierUri.trim(),
    ...(idTokenSignedResponseAlg !== '' && { idTokenSignedResponseAlg }),
    ...(userinfoSignedResponseAlg !== '' && { userinfoSignedResponseAlg }),
    ...(authorizationSignedResponseAlg !== '' && { authorizationSignedResponseAlg }),
    ...(!isSameAccess && { managementAccess }),
  } as OidcBody;
}

const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** As the form calls them. */
function namesOf(fields: readonly string[]): string {
  const labels: Readonly<Record<string, string>> = t.fields;
  return fields.map((field) => labels[field] ?? field).join(', ');
}

interface OidcSettingsProperties {
  readonly where: Where;
  readonly app: Application;
  readonly mayWrite: boolean;
  readonly onSecret: (secret: string) => void;
  /** The part that is shown. The form holds the fields of all of them. */
  readonly part: Part;
  /** What stands above the fields. */
  readonly head: (unsaved: ReadonlySet<Part>) => ReactNode;
}

/** Every option of an OpenID Connect application, with what it does. */
export function OidcSettings({ where, app, mayWrite, onSecret, part, head }: OidcSettingsProperties) {
  const config = app.oidcConfig as OidcConfig;
  const save = useSaveApplication(where, app, onSecret);
  return (
    <SettingsForm<Values>
      bare
      within={applicationPath(where)}
      name={`application-${app.id}`}
      initial={valuesOf(app.name, config)}
      sequence={app.details.sequence}
      save={async (values, sequence) =>
        await save(
          values.name,
          sequence,
          async (params) =>
            await answered(
              api.PUT('/management/v1/projects/{projectId}/apps/{appId}/oidc_config', {
                params,
                body: bodyOf(values, sequence === undefined ? undefined : config),
              }),
            ),
        )
      }
      stale={[['applications', where.org, where.project]]}
      done={s.form.saved}
    >
      {(form) => (
        <>
          {head(unsavedParts(form))}
          <OidcFields
            form={form}
            where={where}
            mayWrite={mayWrite}
            overruled={overruledBy(form.values.securityProfile, config)}
            part={part}
          />
        </>
      )}
    </SettingsForm>
  );
}

function unsavedParts(form: UseFormReturnType<Values>): ReadonlySet<Part> {
  const changed = Object.entries(PARTS).filter(([field]) => form.isDirty(field));
  return new Set(changed.map(([, part]) => part));
}

/** Undefined for a profile that has just been chosen: what it overrules is told once it is saved. */
function overruledBy(profile: string, config: OidcConfig): readonly string[] | undefined {
  if (profile === (config.securityProfile ?? NO_PROFILE)) return config.overruledSettings ?? [];
  return profile === NO_PROFILE ? [] : undefined;
}

interface OidcFieldsProperties {
  readonly form: UseFormReturnType<Values>;
  readonly where: Where;
  readonly part: Part;
  readonly mayWrite: boolean;
  /** Fields in whose place the security profile has others; undefined where that is not known yet. */
  readonly overruled: readonly string[] | undefined;
}

function OidcFields({ form, where, mayWrite, overruled, part }: OidcFieldsProperties) {
  const { values } = form;
  const { userinfo_signing_alg_values_supported: served = ['RS256'] } = useDiscovery();
  // the one it has stays among them: the instance may have had another one of its own
  const userinfoAlgorithms = [...new Set([...served, values.userinfoSignedResponseAlg])].filter(Boolean);
  const kind = KINDS[values.appType] ?? 'web';
  const problemOf = (uri: string) => {
    const fault = faultOf(uri, kind, values.devMode);
    return fault === undefined ? undefined : t.faults[fault];
  };
  const isHeld = (field: string) => overruled?.includes(field) === true;
  const helpOf = (field: keyof typeof t.help, whyHeld = t.profiles.held) =>
    isHeld(field) ? `${t.help[field]} ${whyHeld}` : t.help[field];
  const flag = (field: Flag) => (
    <Checkbox
      label={t.fields[field]}
      description={helpOf(field)}
      disabled={!mayWrite || isHeld(field)}
      {...form.getInputProps(field, { type: 'checkbox' })}
    />
  );
  const choice = (
    field:
      | 'appType'
      | 'authMethodType'
      | 'accessTokenType'
      | 'idTokenSignedResponseAlg'
      | 'userinfoSignedResponseAlg'
      | 'authorizationSignedResponseAlg'
      | 'clockSkew'
      | 'managementAccess'
      | 'securityProfile'
      | 'subjectType',
    options: Readonly<Record<string, string>>,
  ) => (
    <Select
      label={t.fields[field]}
      description={helpOf(field)}
      data={optionsOf(options)}
      allowDeselect={false}
      disabled={!mayWrite || isHeld(field)}
      {...form.getInputProps(field)}
    />
  );
  const several = (field: 'grantTypes' | 'responseTypes', options: Readonly<Record<string, string>>) => (
    <MultiSelect
      label={t.fields[field]}
      // what the profile leaves in can still be chosen
      description={helpOf(field, t.profiles.heldInPart)}
      data={optionsOf(options)}
      disabled={!mayWrite}
      {...form.getInputProps(field)}
    />
  );
  const uris = (
    field: 'redirectUris' | 'postLogoutRedirectUris' | 'additionalOrigins' | 'requestUris',
    problem?: typeof problemOf,
  ) => (
    <UriList
      label={t.fields[field]}
      description={t.help[field]}
      value={values[field]}
      onChange={(value) => form.setFieldValue(field, value)}
      isReadOnly={!mayWrite}
      {...(problem !== undefined && { problemOf: problem })}
    />
  );
  const uri = (
    field:
      | 'jwksUri'
      | 'backChannelLogoutUri'
      | 'frontChannelLogoutUri'
      | 'sectorIdentifierUri'
      | 'initiateLoginUri',
  ) => (
    <UriField
      label={t.fields[field]}
      description={t.help[field]}
      readOnly={!mayWrite}
      {...form.getInputProps(field)}
    />
  );
  return (
    <FormParts where={where} at={part}>
      <FormPart part="" at={part}>
        <Section title={t.sections.basics}>
          <Stack maw={640}>
            <TextInput
              label={t.fields.name}
              description={t.fields.nameHelp}
              required
              maxLength={200}
              readOnly={!mayWrite}
              {...form.getInputProps('name')}
            />
            {choice('appType', APP_TYPES)}
            {uris('redirectUris', problemOf)}
            {uris('postLogoutRedirectUris', problemOf)}
            {uri('initiateLoginUri')}
            {flag('devMode')}
          </Stack>
        </Section>
      </FormPart>
      <FormPart part="sign-in" at={part}>
        <Section title={t.sections.proof}>
          <Stack maw={640}>
            {choice('securityProfile', PROFILES)}
            {overruled === undefined && <Text size="sm">{t.profiles.afterSaving}</Text>}
            {overruled !== undefined && overruled.length > 0 && (
              <Text size="sm">{say(t.profiles.overruled, { fields: namesOf(overruled) })}</Text>
            )}
            {choice('authMethodType', AUTH_METHODS)}
            {values.authMethodType === SIGNS && uri('jwksUri')}
            {values.authMethodType === 'OIDC_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH' &&
              CERTIFICATE_NAMES.map((field) => (
                <TextInput
                  key={field}
                  label={t.fields[field]}
                  description={t.help[field]}
                  autoComplete="off"
                  readOnly={!mayWrite}
                  {...form.getInputProps(field)}
                />
              ))}
            {several('grantTypes', GRANT_TYPES)}
            {several('responseTypes', RESPONSE_TYPES)}
            {flag('assertionAudienceIssuerOnly')}
            {flag('requirePushedAuthorizationRequests')}
            {values.authMethodType === SIGNS && flag('requireSignedRequestObject')}
            {(values.authMethodType === SIGNS || values.requestUris.length > 0) && uris('requestUris')}
          </Stack>
        </Section>
      </FormPart>
      <FormPart part="tokens" at={part}>
        <Section
          title={t.sections.tokens}
          lead={
            <>
              {t.tokensLead} <TokenLifetimes org={where.org} />
            </>
          }
        >
          <Stack maw={640}>
            {choice('accessTokenType', TOKEN_TYPES)}
            {values.accessTokenType === 'OIDC_TOKEN_TYPE_JWT' && flag('accessTokenAtJwt')}
            {flag('dpopBoundAccessTokens')}
            {flag('tlsClientCertificateBoundAccessTokens')}
            {flag('accessTokenRoleAssertion')}
            {flag('idTokenRoleAssertion')}
            {flag('idTokenUserinfoAssertion')}
            {flag('claimsWebhook')}
            {choice('idTokenSignedResponseAlg', { '': t.algorithm.instance, RS256: 'RS256' })}
            {choice('userinfoSignedResponseAlg', {
              '': t.algorithm.unsigned,
              ...Object.fromEntries(userinfoAlgorithms.map((one) => [one, one])),
            })}
            {choice('authorizationSignedResponseAlg', { '': t.algorithm.instance, RS256: 'RS256' })}
            {choice('clockSkew', Object.fromEntries(t.skews.map((label, index) => [`${index}s`, label])))}
          </Stack>
        </Section>
      </FormPart>
      <FormPart part="access" at={part}>
        <Section title={t.sections.more}>
          <Stack maw={640}>
            {uris('additionalOrigins')}
            {uri('backChannelLogoutUri')}
            {uri('frontChannelLogoutUri')}
            {flag('frontChannelLogoutSessionRequired')}
            {flag('sessionManagement')}
            {choice('subjectType', SUBJECTS)}
            {(values.subjectType === 'OIDC_SUBJECT_TYPE_PAIRWISE' || values.sectorIdentifierUri !== '') &&
              uri('sectorIdentifierUri')}
            {choice('managementAccess', ACCESS)}
            {kind === 'native' && flag('skipNativeAppSuccessPage')}
          </Stack>
        </Section>
      </FormPart>
    </FormParts>
  );
}
