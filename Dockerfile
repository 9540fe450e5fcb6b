# One image for the API, the workers, migrations and bootstrap; the command chooses (see docker-compose.yml).

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json nest-cli.json ./
COPY src src
COPY workers workers
COPY migrations migrations
COPY locales locales
COPY console console
# the examples that the console shows
COPY docs/quickstart docs/quickstart
COPY scripts/bundle.mjs scripts/console.mjs scripts/openapi.mjs scripts/
COPY LICENSE ./
# Copied files keep the modes of the clone: made under umask 077, only root could read them.
RUN npm run build && chmod -R a+rX dist package.json LICENSE

# Apart from the build, so that a change of the source does not fetch a single package again.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund && npm cache clean --force

FROM node:24-bookworm-slim
WORKDIR /app
# Inside a container loopback is nobody's: the listeners face the container's network, the ops one unpublished.
# Memory: none of the processes holds more than a few chunks of anything. A bound makes Node collect garbage instead of
# growing to 350 MB beside an import, and two arenas keep the allocator from hoarding what its threads freed.
# One ops port for every process, so that the health check needs not know which one it checks.
ENV NODE_ENV=production \
    HOST=0.0.0.0 PORT=8080 \
    OPS_HOST=0.0.0.0 OPS_PORT=9464 \
    NODE_OPTIONS=--max-old-space-size=1536 MALLOC_ARENA_MAX=2
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/dist dist
# The files stay root's: the process can read its program and change none of it. /var/lib/identity is for what it is
# asked to write; mount something there.
RUN mkdir /var/lib/identity && chown 1000:1000 /var/lib/identity
# "node" of the base image, by number, so that Kubernetes can see that it is not root
USER 1000:1000
EXPOSE 8080 9464
# Red when a restart would help, and not while PostgreSQL or Redis is away: Swarm replaces what is unhealthy.
# bash speaks HTTP for itself here: a Node process every ten seconds would take more than the service does when idle
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["bash", "-c", "exec 3<>\"/dev/tcp/127.0.0.1/$OPS_PORT\" && printf 'GET /livez HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
# Node is process 1 and handles SIGTERM itself: it drains within 20 s. Give the container a little longer to stop.
STOPSIGNAL SIGTERM
CMD ["node", "dist/src/main.js"]
