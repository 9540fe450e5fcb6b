# One image for the API, the workers, migrations and bootstrap; the command chooses (see docker-compose.yml).

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json nest-cli.json ./
COPY src src
COPY workers workers
COPY migrations migrations
RUN npm run build

# Apart from the build, so that a change of the source does not fetch a single package again.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
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
COPY package.json LICENSE ./
COPY --from=build /app/dist dist
# The files stay root's: the process can read its program and change none of it.
USER node
EXPOSE 8080 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPS_PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1 and handles SIGTERM itself: it drains within 20 s. Give the container a little longer to stop.
STOPSIGNAL SIGTERM
CMD ["node", "dist/src/main.js"]
