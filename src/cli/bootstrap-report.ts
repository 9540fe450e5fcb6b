import type { BootstrapSummary, TokenOutcome } from '../domain/bootstrap/bootstrap.js';
import type { EnsuredAdministrator } from '../domain/bootstrap/ensure-administrator.js';
import type { EnsuredConsole } from '../domain/bootstrap/ensure-console.js';
import type { PendingTakeover } from '../domain/signing-keys/algorithm-takeover.js';

interface BootstrapFiles {
  readonly credentials: string | undefined;
  readonly link: string | undefined;
  readonly token: string | undefined;
}

/** What bootstrap found and made, line by line. The only secret is the link of a new administrator. */
export function bootstrapReport(
  { organization, admin, console, token, leftOut }: BootstrapSummary,
  takeover: PendingTakeover | undefined,
  files: BootstrapFiles,
): string[] {
  const { id, primaryDomain } = organization;
  const lines = [
    `Organization ${id} with the primary domain ${primaryDomain} is set up.`,
    ...consoleLines(console),
    ...administratorLines(admin, files.link),
  ];
  if (token !== undefined && files.token !== undefined) {
    lines.push(tokenLine(token.userName, token.outcome, files.token));
  }
  if (files.credentials !== undefined) {
    lines.push(`The credentials are in ${files.credentials}.`, ...leftOutLines(leftOut));
  }
  if (takeover !== undefined) lines.push(takeoverLine(takeover));
  return lines;
}

function consoleLines({ isNew, changed }: EnsuredConsole): string[] {
  if (isNew) return ['The application of the console is made.'];
  if (changed.length === 0) return [];
  return [`The application of the console was changed to what the console needs: ${changed.join(', ')}.`];
}

function administratorLines(
  { userId, loginName, hasPassword, link }: EnsuredAdministrator,
  linkFile: string | undefined,
): string[] {
  if (userId === undefined) {
    return [`There is no user ${loginName}. No user was created: the instance has an owner.`];
  }
  const lines = [`The administrator is ${loginName}.`];
  if (link !== undefined) {
    const until = `It works once, until ${link.expiresAt.toISOString()}.`;
    if (linkFile === undefined) lines.push(`They set their password here. ${until}`, `  ${link.url}`);
    else lines.push(`They set their password by the link in ${linkFile}. ${until}`);
  } else if (!hasPassword) {
    lines.push('No password is set yet. For a new link, run: identity admin recover');
  }
  return lines;
}

function tokenLine(userName: string, outcome: TokenOutcome, file: string): string {
  switch (outcome) {
    case 'made':
      return `The token of the service user ${userName} (IAM_OWNER) is in ${file}.`;
    case 'kept':
      return `The token of the service user ${userName} in ${file} is valid.`;
    case 'unknown':
      return `The service user ${userName} already had a token, and ${file} does not exist: no token was made. For another token, run bootstrap with --renew.`;
    case 'file-not-true':
      return `${file} contains no token of the service user ${userName}; it was left as it is. For another token, move the file away and run bootstrap with --renew.`;
    case 'no-service-user':
      return `No token was made: ${userName} is not an active service user.`;
  }
}

function leftOutLines(leftOut: readonly string[]): string[] {
  if (leftOut.length === 0) return [];
  const lines = [`Changed or issued elsewhere, so not in it: ${leftOut.join(', ')}. Nothing was replaced.`];
  if (leftOut.includes('admin.password')) {
    lines.push('For a new password of the administrator: npx identity admin recover');
  }
  if (leftOut.some((name) => name !== 'admin.password')) {
    lines.push('For new tokens and a new client secret, run bootstrap with --renew.');
  }
  return lines;
}

function takeoverLine({ algorithm, signing, at, leadSeconds }: PendingTakeover): string {
  const when =
    at === undefined
      ? `about ${Math.ceil(leadSeconds / 3600)} h after an API first starts with it`
      : `from ${at.toISOString()} on`;
  return `SIGNING_ALG=${algorithm} signs ${when}; until then ${signing} does.`;
}
