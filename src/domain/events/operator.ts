/**
 * The actor of what somebody with access to the database does by a command, for whom the service has no account. No user
 * can have this id: theirs hold no blanks (`given-id.ts`).
 */
export const OPERATOR = 'operator at the command line';
