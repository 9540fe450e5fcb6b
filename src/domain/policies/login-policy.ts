/** What people may do on the sign-in pages of an organization's applications. */
export interface LoginPolicy {
  /** Whether somebody without an account may make one, in this organization. */
  readonly allowRegister: boolean;
  /** Whether it asks for a login name. Otherwise the e-mail address is the user name. */
  readonly requireLoginName: boolean;
  /** Whether users may delete their own accounts. */
  readonly allowAccountDeletion: boolean;
  /** Whether people may sign in with external providers: the organization's own, and those of the instance that it names. */
  readonly allowExternalIdps: boolean;
  /** Ids of providers of the instance that people of this organization sign in with. */
  readonly instanceIdps: readonly string[];
  /**
   * One of `instanceIdps`, that people with an address of the organization's domains are sent to. The organization says so, because
   * the provider serves others as well.
   */
  readonly homeRealmIdpId?: string | undefined;
}

/**
 * Protocol §11.2 as amended: registration is off until an owner switches it on. External providers are on, as protocol §11.2
 * has them: an organization has none until somebody adds one.
 */
export const defaultLoginPolicy: LoginPolicy = {
  allowRegister: false,
  requireLoginName: false,
  allowAccountDeletion: false,
  allowExternalIdps: true,
  instanceIdps: [],
};
