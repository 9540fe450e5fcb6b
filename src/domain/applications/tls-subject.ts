import { nameProblem, type ExpectedName, type NameKind } from '../certificates/certificate-names.js';
import type { OidcConfig } from './oidc-config.js';

/** The fields by which a certificate is known as an application's (RFC 8705 §2.1.2), with the kind of name in each. */
export const TLS_SUBJECT_FIELDS = {
  tlsClientAuthSubjectDn: 'dn',
  tlsClientAuthSanDns: 'dns',
  tlsClientAuthSanUri: 'uri',
  tlsClientAuthSanIp: 'ip',
  tlsClientAuthSanEmail: 'email',
} as const satisfies Partial<Record<keyof OidcConfig, NameKind>>;

export type TlsSubjectField = keyof typeof TLS_SUBJECT_FIELDS;
export type TlsSubject = Pick<OidcConfig, TlsSubjectField>;

const FIELDS = Object.keys(TLS_SUBJECT_FIELDS) as TlsSubjectField[];

/** The one name that its certificate has to have; undefined where none is registered, or several. */
export function expectedName(subject: TlsSubject): ExpectedName | undefined {
  const [name, ...others] = given(subject);
  return others.length === 0 ? name?.name : undefined;
}

/** What is wrong with the names, after the field that it is about; undefined where the method can be kept. */
export function tlsSubjectProblem(
  config: TlsSubject & Pick<OidcConfig, 'authMethod'>,
): { readonly field: TlsSubjectField; readonly problem: string } | undefined {
  const names = given(config);
  const [first, second] = names;
  // which of them would have to hold is not for us to guess
  if (second !== undefined) return { field: second.field, problem: `must not stand beside ${first?.field}` };
  if (first === undefined) {
    if (config.authMethod !== 'tls_client_auth') return undefined;
    return {
      field: 'tlsClientAuthSubjectDn',
      problem:
        'or tlsClientAuthSanDns, tlsClientAuthSanUri, tlsClientAuthSanIp or tlsClientAuthSanEmail is needed with tls_client_auth',
    };
  }
  const problem = nameProblem(first.name);
  return problem === undefined ? undefined : { field: first.field, problem };
}

function given(subject: TlsSubject) {
  return FIELDS.flatMap((field) => {
    const value = subject[field];
    return value === null ? [] : [{ field, name: { kind: TLS_SUBJECT_FIELDS[field], value } }];
  });
}
