// Imported first by the two commands: a Node that is too old must hear one sentence, not a syntax error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`This service needs Node 20.19 or newer; this is Node ${process.versions.node}.\n`);
  process.exit(1);
}

export const nodeVersion = process.versions.node;
