/** What people may do on the sign-in pages of an organization's applications. */
export interface LoginPolicy {
  /** Whether somebody without an account may make one, in this organization. */
  readonly allowRegister: boolean;
  /** Whether it asks for a login name. Otherwise the e-mail address is the user name. */
  readonly requireLoginName: boolean;
  /** Whether users may delete their own accounts. */
  readonly allowAccountDeletion: boolean;
}

/** Protocol §11.2 as amended: registration is off until an owner switches it on. */
export const defaultLoginPolicy: LoginPolicy = {
  allowRegister: false,
  requireLoginName: false,
  allowAccountDeletion: false,
};
