/** How a directory (LDAP) is reached, as forms hold it: an identity provider may be one, and an old system. */

// oxlint-disable-next-line typescript/consistent-type-definitions -- forms take records, which an interface is not
export type DirectoryValues = {
  /** One a line. */
  readonly urls: string;
  readonly startTls: boolean;
  readonly caCertificate: string;
  readonly baseDn: string;
  readonly bindDn: string;
  /** Never read back. */
  readonly bindPassword: string;
  /** A day; empty where nobody said. */
  readonly secretExpires: string;
  readonly userFilter: string;
  readonly subjectAttribute: string;
  readonly trustEmail: boolean;
};

/** As the API shows them. */
interface Shown {
  readonly urls?: readonly string[];
  readonly startTls?: boolean;
  readonly caCertificate?: string;
  readonly baseDn?: string;
  readonly bindDn?: string;
  readonly userFilter?: string;
  readonly subjectAttribute?: string;
  readonly trustEmail?: boolean;
  readonly secretExpirationDate?: string;
}

const USUAL_FILTER = '(&(objectClass=person)(uid={loginName}))';

/** @param shown undefined for a new one */
export function directoryValues(shown: Shown = {}): DirectoryValues {
  return {
    urls: shown.urls?.join('\n') ?? '',
    startTls: shown.startTls ?? false,
    caCertificate: shown.caCertificate ?? '',
    baseDn: shown.baseDn ?? '',
    bindDn: shown.bindDn ?? '',
    bindPassword: '',
    secretExpires: shown.secretExpirationDate?.slice(0, 10) ?? '',
    userFilter: shown.userFilter ?? USUAL_FILTER,
    subjectAttribute: shown.subjectAttribute ?? '',
    trustEmail: shown.trustEmail ?? false,
  };
}

/** As the API takes them. A password that is left out stays as it is. @param stored what the form was made from */
export function directoryBody(values: DirectoryValues, stored: Shown = {}) {
  const { startTls, trustEmail, bindPassword } = values;
  const given = (name: 'baseDn' | 'bindDn' | 'userFilter' | 'caCertificate' | 'subjectAttribute') =>
    values[name].trim() === '' ? {} : { [name]: values[name].trim() };
  return {
    urls: values.urls.split(/\s+/).filter((url) => url !== ''),
    startTls,
    trustEmail,
    ...given('baseDn'),
    ...given('bindDn'),
    ...given('userFilter'),
    ...given('caCertificate'),
    ...given('subjectAttribute'),
    ...(bindPassword !== '' && { bindPassword }),
    ...expiryIn(values, stored),
  };
}

/**
 * Of what the other side knows us by: a secret, or the password of a service account. The form shows a day alone, while the API
 * takes any moment: of a day that was not changed, the moment that is stored stays.
 */
export function expiryIn(
  { secretExpires }: Pick<DirectoryValues, 'secretExpires'>,
  { secretExpirationDate }: Pick<Shown, 'secretExpirationDate'> = {},
) {
  if (secretExpires === '') return {};
  const isSame = secretExpirationDate?.slice(0, 10) === secretExpires;
  return { secretExpirationDate: isSame ? secretExpirationDate : `${secretExpires}T00:00:00Z` };
}
