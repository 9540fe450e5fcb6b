import os
from urllib.parse import urlencode

from django.core.management.utils import get_random_secret_key

ISSUER = os.environ["ISSUER"]
ORIGIN = f"http://localhost:{os.environ.get('PORT', '8000')}"

DEBUG = False
SECRET_KEY = get_random_secret_key()
ALLOWED_HOSTS = ["localhost"]
ROOT_URLCONF = "example.urls"
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": "example.sqlite3",
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]

SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "identity",
                "name": "Identity",
                "client_id": os.environ["CLIENT_ID"],
                "secret": os.environ["CLIENT_SECRET"],
                "settings": {"server_url": ISSUER},
            }
        ],
    }
}
LOGIN_URL = "/accounts/oidc/identity/login/"
LOGIN_REDIRECT_URL = "/me"

# allauth ends its own session, then the browser goes on to end the one with the service.
ACCOUNT_LOGOUT_REDIRECT_URL = f"{ISSUER}/oidc/v1/end_session?" + urlencode(
    {
        "client_id": os.environ["CLIENT_ID"],
        "post_logout_redirect_uri": f"{ORIGIN}/",
    }
)
