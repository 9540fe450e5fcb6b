// A token of a service user by @zitadel/node as its README has it (an assertion without jti).
import { ServiceAccount } from '@zitadel/node/dist/credentials/index.js';

const { ISSUER, USER_KEY, PROJECT } = process.env;
const account = ServiceAccount.fromJsonString(USER_KEY);
process.stdout.write(await account.authenticate(ISSUER, { projectAudiences: [PROJECT] }));
