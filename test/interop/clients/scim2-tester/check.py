"""Runs every check of scim2-tester against a server, and prints each with what it found."""

import os

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

http = Client(
    base_url=os.environ["SCIM_URL"],
    headers={"Authorization": f"Bearer {os.environ['SCIM_TOKEN']}"},
)
for result in check_server(SyncSCIMClient(http)):
    about = result.reason if result.status.name not in ("SUCCESS", "SKIPPED") else ""
    print(result.status.name, result.title, result.resource_type or "", (about or "").replace("\n", " "), sep="\t")
