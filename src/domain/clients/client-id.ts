const CLIENT_ID = /^[!-~]{1,200}$/;

/** Whether text could be a client_id (RFC 6749 §2.2, appendix A.1): what could not is not even looked for. */
export function isClientId(text: string): boolean {
  return CLIENT_ID.test(text);
}
