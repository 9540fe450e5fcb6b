/** Token under which the configuration provides how long things are kept that matter no longer. */
export abstract class RetentionSettings {
  /** Sessions and grants after their end: it tells who was signed in, and an undone import asks for it. */
  abstract readonly sessionSeconds: number;
  /** What was sent, by mail, SMS and to logout endpoints. */
  abstract readonly noticeSeconds: number;
  /** The audit log; undefined keeps it. */
  abstract readonly eventSeconds: number | undefined;
  /** Results of an import that ended without ever having begun. */
  abstract readonly importSeconds: number;
}
