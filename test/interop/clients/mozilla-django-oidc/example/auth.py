from urllib.parse import urlencode

from django.conf import settings
from mozilla_django_oidc.auth import OIDCAuthenticationBackend


class Backend(OIDCAuthenticationBackend):
    """Keeps the claims for the pages; the library itself keeps the e-mail address alone."""

    def get_userinfo(self, access_token, id_token, payload):
        claims = super().get_userinfo(access_token, id_token, payload)
        self.request.session["claims"] = claims
        return claims


def provider_logout(request):
    return f"{settings.ISSUER}/oidc/v1/end_session?" + urlencode(
        {
            "id_token_hint": request.session["oidc_id_token"],
            "post_logout_redirect_uri": request.build_absolute_uri("/"),
        }
    )
