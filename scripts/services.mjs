// The private services that `npm start`, `npm test`, `npm run bench` and single tests start for themselves.
// Each runs in the folder it is given, on 127.0.0.1 and a free port, and is ended by whoever started it.
export { endLeftoverPostgres, startPostgres } from './postgres.mjs';
export { endLeftoverRedis, startRedis } from './redis.mjs';
