// Loaded into a worker: from SIGUSR2 on its consumers get no answer any more when they ask for a job, as if a promise had
// been lost, while everything around them goes on.
import { Worker } from 'bullmq';

let stuck = false;
process.on('SIGUSR2', () => {
  stuck = true;
});
/** @type {any} */
const consumer = Worker.prototype;
const { moveToActive } = consumer;
consumer.moveToActive = async function held(/** @type {unknown[]} */ ...args) {
  return stuck ? await new Promise(() => undefined) : await moveToActive.apply(this, args);
};
